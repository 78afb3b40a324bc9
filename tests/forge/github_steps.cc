// Sends all of the reporter's kinds of GitHub requests to a fake GitHub, optionally through a
// proxy. The program prints the fake's address. Then it reads the address to use from stdin.
//
//     github_steps app|token
//
// A proxy that checks requests, such as prism, names faults in a header "sl-violations". The
// program prints "PASS: " or "FAIL: " and the step.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/http/http.h"
#include "reporter/forge/forge.h"
#include "reporter/forge/github.h"
#include "reporter/posting/post_report.h"
#include "reporter/testing/fake_forge.h"

namespace gprofhub::tests {
namespace {

// Requests that violate the description.
struct Violations {
  size_t requests = 0;
  std::vector<std::string> found;
};

base::HttpClient Watching(base::HttpClient inner, Violations& violations) {
  return [inner, &violations](const base::HttpRequest& request) {
    absl::StatusOr<base::HttpResponse> answer = inner(request);
    ++violations.requests;
    if (!answer.ok()) return answer;
    const auto header = answer->headers.find("sl-violations");
    if (header == answer->headers.end()) return answer;
    // The list also names faults of the fake's responses, which do not count. Faults of the request
    // are first, so a truncated list does not matter.
    if (absl::StrContains(header->second, R"({"location":["request")")) {
      violations.found.push_back(
          absl::StrCat(request.method, " ", request.url, ": ", header->second));
    }
    return answer;
  };
}

reporter::Posting MakePosting(reporter::PostingState state, int64_t run_id, size_t annotations) {
  reporter::Posting posting;
  posting.marker = "<!-- gprofhub:acme/db -->";
  posting.about = {state, run_id, reporter::FakeForge::kHead};
  posting.body = absl::StrCat(posting.marker, "\n", reporter::ToString(posting.about), "\nrun ",
                              run_id, "\n\n| a | table |\n");
  posting.check.conclusion = state == reporter::PostingState::kRegressed
                                 ? reporter::Check::Conclusion::kFailure
                                 : reporter::Check::Conclusion::kNeutral;
  posting.check.title = "2 changes fail the check";
  posting.check.summary = posting.body;
  posting.check.key = absl::StrCat(run_id, "-key");
  for (size_t i = 0; i < annotations; ++i) {
    posting.check.annotations.push_back(
        {"src/json.c", static_cast<uint32_t>(i + 1), "gprofhub: more-work", "called 8×, was 1"});
  }
  return posting;
}

class Steps {
 public:
  void Check(const std::string& what, bool good, const std::string& detail = "") {
    std::cout << (good ? "PASS: " : "FAIL: ") << name_ << ": " << what << "\n";
    if (!good) {
      ++failures_;
      std::cout << detail << "\n";
    }
  }
  template <typename T>
  void CheckOk(const std::string& what, const absl::StatusOr<T>& result) {
    Check(what, result.ok(), result.status().ToString());
  }

  int Run(const std::string& mode) {
    name_ = mode;
    const std::unique_ptr<reporter::FakeForge> fake = reporter::MakeFakeGitHub(mode == "app");
    fake->page_size = 100;
    fake->writers = {"maintainer"};
    fake->commits_on_main = {"1111111111111111111111111111111111111111"};
    fake->files[".gprofhub.json"] = "{}";
    fake->patches["src/json.c"] = "@@ -1 +1,2 @@\n a\n+b";
    std::cout << fake->url() << std::endl;
    std::string between;
    if (!std::getline(std::cin, between)) return 2;

    Violations violations;
    reporter::GitHubOptions options;
    options.base_url = between;
    options.repository = "acme/db";
    if (mode == "app") {
      options.credentials = reporter::GitHubApp{"12345", reporter::TestRsaKey()};
    } else {
      options.credentials = std::string("personal-token");
    }
    const std::unique_ptr<reporter::Forge> forge = reporter::MakeGitHub(
        options, Watching(base::MakeCurlClient({}), violations), fake->clock());

    const absl::StatusOr<reporter::PullRequest> pull_request = forge->ReadPullRequest("17");
    CheckOk("reads a pull request", pull_request);
    if (!pull_request.ok()) return 1;
    CheckOk("reads its files", forge->ReadChangedLines(*pull_request));
    CheckOk("compares a commit with a branch",
            forge->CommitIsOnBranch("1111111111111111111111111111111111111111", "main"));
    const std::string queue =
        "gh-readonly-queue/main/pr-17-1111111111111111111111111111111111111111";
    fake->queues[queue] = fake->commits_on_main;
    const absl::StatusOr<bool> in_queue =
        forge->CommitIsOnBranch("1111111111111111111111111111111111111111", queue);
    Check("compares a commit with a merge queue's branch", in_queue.ok() && *in_queue);
    CheckOk("reads the default branch", forge->ReadDefaultBranch());
    CheckOk("reads a file", forge->ReadFile("main", ".gprofhub.json"));
    fake->writers = {"maintainer"};
    fake->rules["main"] = {"deletion"};
    CheckOk("asks who may write", forge->MayWrite("maintainer", *pull_request));
    reporter::Refusals refusals;
    const auto post = [&](reporter::PostingState state, int64_t run_id, size_t annotations) {
      return reporter::PostReport(*forge, *pull_request, MakePosting(state, run_id, annotations),
                                  refusals);
    };
    CheckOk("creates a comment and a check", post(reporter::PostingState::kRegressed, 5, 70));
    CheckOk("edits them", post(reporter::PostingState::kChanged, 6, 0));
    CheckOk("replaces the comment", post(reporter::PostingState::kRegressed, 7, 1));
    Check("leaves one comment", fake->comments.size() == 1,
          absl::StrCat("there are ", fake->comments.size()));
    Check("without a refusal", refusals.empty(), refusals.ToString());
    TellOfAnEvent(*fake, *forge);
    const reporter::FakeJob& job = fake->AddJob("profiles");
    CheckOk("starts a CI job again",
            forge->StartAgain(*pull_request, fake->LinkOf(job), "profiles"));
    Check("starts it once", job.starts == 1);
    Check(absl::StrCat("all requests are as GitHub describes them"), violations.found.empty(),
          violations.found.empty() ? "" : violations.found.front());
    // A wrong request must be refused: else nothing was checked.
    Violations provoked;
    const base::HttpClient watching = Watching(base::MakeCurlClient({}), provoked);
    (void)watching(
        {"POST",
         absl::StrCat(between, "/repos/acme/db/issues/17/comments"),
         {{"Authorization", "Bearer personal-token"}, {"Content-Type", "application/json"}},
         R"({"text": "no body"})"});
    Check("a wrong request would be noticed", !provoked.found.empty());
    return failures_ == 0 ? 0 : 1;
  }

 private:
  // An issue's whole life.
  void TellOfAnEvent(const reporter::FakeForge& fake, reporter::Forge& forge) {
    const absl::StatusOr<std::string> number =
        forge.issues()->Create("parse() is called more", "<!-- marker -->\nbody");
    CheckOk("opens an issue", number);
    if (!number.ok()) return;
    CheckOk("finds it", forge.issues()->List());
    for (const auto state : {reporter::IssueState::kAsItIs, reporter::IssueState::kClosed,
                             reporter::IssueState::kOpen}) {
      const absl::Status edited = forge.issues()->Edit(*number, "title", "body", state);
      Check("edits it", edited.ok(), edited.ToString());
    }
    Check("leaves one issue", fake.issues.size() == 1);
  }

  std::string name_;
  int failures_ = 0;
};

}  // namespace
}  // namespace gprofhub::tests

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode != "app" && mode != "token") {
    std::cerr << "usage: github_steps app|token\n";
    return 2;
  }
  return gprofhub::tests::Steps().Run(mode);
}
