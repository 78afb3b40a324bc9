// Jobs of GitLab's CI (docs.gitlab.com/ee/api/jobs.html).
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "reporter/forge/forge.h"
#include "reporter/forge/http/rest.h"

namespace gprofhub::reporter {

// Forge::StartAgain. `link` is that of a job, as CI_JOB_URL has it: "…/-/jobs/ID"; the job to start
// is one of its pipeline. `project` is the path "/projects/ID". A job of a pipeline of merged
// results is of a commit that GitLab made; then its ref names the merge request.
absl::StatusOr<std::string> RetryGitLabJob(const RestApi& api, const std::string& project,
                                           const PullRequest& merge_request, absl::string_view link,
                                           absl::string_view job);

}  // namespace gprofhub::reporter
