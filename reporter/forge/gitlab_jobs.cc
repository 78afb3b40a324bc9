#include "reporter/forge/gitlab_jobs.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace gprofhub::reporter {

namespace {

constexpr absl::string_view kEnded[] = {"success", "failed", "canceled"};

}  // namespace

absl::StatusOr<std::string> RetryGitLabJob(const RestApi& api, const std::string& project,
                                           const PullRequest& merge_request, absl::string_view link,
                                           absl::string_view job) {
  ASSIGN_OR_RETURN(const std::string id, NumberAfter(link, "/-/jobs/"));
  ASSIGN_OR_RETURN(const nlohmann::json found, api.Get(absl::StrCat(project, "/jobs/", id)));
  const bool of_merge_request =
      JsonText(found, "ref") ==
      absl::StrCat("refs/merge-requests/", merge_request.number, "/merge");
  if (JsonText(JsonField(found, "commit"), "id") != merge_request.head_commit &&
      !of_merge_request) {
    return absl::FailedPreconditionError(absl::StrCat("job ", id, " is of another commit"));
  }
  const std::string pipeline = absl::StrCat(JsonNumber(JsonField(found, "pipeline"), "id"));
  // The list omits jobs that were retried.
  ASSIGN_OR_RETURN(const std::vector<nlohmann::json> jobs,
                   api.List(absl::StrCat(project, "/pipelines/", pipeline, "/jobs?per_page=100")));
  for (const nlohmann::json& one : jobs) {
    if (JsonText(one, "name") != job) continue;
    const std::string status = JsonText(one, "status");
    if (std::find(std::begin(kEnded), std::end(kEnded), status) == std::end(kEnded)) {
      return absl::UnavailableError(absl::StrCat("the job \"", job, "\" has not ended"));
    }
    ASSIGN_OR_RETURN(
        const nlohmann::json started,
        api.Send("POST", absl::StrCat(project, "/jobs/", JsonNumber(one, "id"), "/retry"),
                 nlohmann::json::object()));
    return JsonText(started, "web_url");
  }
  return absl::FailedPreconditionError(
      absl::StrCat("pipeline ", pipeline, " has no job \"", job, "\""));
}

}  // namespace gprofhub::reporter
