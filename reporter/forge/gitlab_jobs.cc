#include "reporter/forge/gitlab_jobs.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::reporter {
namespace {

constexpr absl::string_view kEnded[] = {"success", "failed", "canceled"};

}  // namespace

absl::StatusOr<std::string> RetryGitLabJob(const RestApi& api, const std::string& project,
                                           const PullRequest& merge_request, absl::string_view link,
                                           absl::string_view job) {
  const absl::StatusOr<std::string> id = NumberAfter(link, "/-/jobs/");
  if (!id.ok()) return id.status();
  const absl::StatusOr<nlohmann::json> found = api.Get(absl::StrCat(project, "/jobs/", *id));
  if (!found.ok()) return found.status();
  const bool of_merge_request =
      JsonText(*found, "ref") ==
      absl::StrCat("refs/merge-requests/", merge_request.number, "/merge");
  if (JsonText(JsonField(*found, "commit"), "id") != merge_request.head_commit &&
      !of_merge_request) {
    return absl::FailedPreconditionError(absl::StrCat("job ", *id, " is of another commit"));
  }
  const std::string pipeline = absl::StrCat(JsonNumber(JsonField(*found, "pipeline"), "id"));
  // The list omits jobs that were retried.
  const absl::StatusOr<std::vector<nlohmann::json>> jobs =
      api.List(absl::StrCat(project, "/pipelines/", pipeline, "/jobs?per_page=100"));
  if (!jobs.ok()) return jobs.status();
  for (const nlohmann::json& one : *jobs) {
    if (JsonText(one, "name") != job) continue;
    const std::string status = JsonText(one, "status");
    if (std::find(std::begin(kEnded), std::end(kEnded), status) == std::end(kEnded)) {
      return absl::UnavailableError(absl::StrCat("the job \"", job, "\" has not ended"));
    }
    const absl::StatusOr<nlohmann::json> started =
        api.Send("POST", absl::StrCat(project, "/jobs/", JsonNumber(one, "id"), "/retry"),
                 nlohmann::json::object());
    if (!started.ok()) return started.status();
    return JsonText(*started, "web_url");
  }
  return absl::FailedPreconditionError(
      absl::StrCat("pipeline ", pipeline, " has no job \"", job, "\""));
}

}  // namespace gprofhub::reporter
