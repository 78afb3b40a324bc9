// Fakes of git, a CI system and files, for the tests of this folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ci/upload/results/ci_systems.h"

namespace gprofhub::ci {

// A full commit hash that repeats one digit.
std::string Hash(char digit);

// Scripted output of git, by command line. Git answers other commands with "no"; without any answer
// it fails as outside of a work tree.
using GitAnswers = std::map<std::string, std::string>;

// The git arguments that resolve the commit of this name.
std::string RevParse(const std::string& name);

RunSources FakeSources(Environment environment, GitAnswers answers,
                       std::map<std::string, std::string> files = {});

// A clone in which commit a is on a branch whose merge base with origin/main (commit f) is commit
// b, and commit c is b's parent.
GitAnswers Clone();

// Makes `commit` the detached head.
void CheckOut(const std::string& commit, const std::vector<std::string>& parents,
              GitAnswers& answers);

// The environment of a pull request's job at GitHub, whose event is in "/event.json".
Environment GitHubPullRequest();

// The content of that event; `head_repository` is JSON. The base's is {"id": 1}.
std::string GitHubEvent(const std::string& head_repository);

}  // namespace gprofhub::ci
