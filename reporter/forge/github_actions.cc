#include "reporter/forge/github_actions.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "reporter/forge/forge.h"

namespace gprofhub::reporter {

absl::StatusOr<std::string> StartActionsJob(const RestApi& api, const std::string& repository,
                                            absl::string_view head_commit, absl::string_view link,
                                            absl::string_view job) {
  ASSIGN_OR_RETURN(const std::string id, NumberAfter(link, "/actions/runs/"));
  const std::string run_path = absl::StrCat(repository, "/actions/runs/", id);
  ASSIGN_OR_RETURN(const nlohmann::json run, api.Get(run_path));
  if (JsonText(run, "head_sha") != head_commit) {
    return absl::FailedPreconditionError(
        absl::StrCat("workflow run ", id, " is of another commit"));
  }
  // GitHub does not restart jobs of a workflow run in progress.
  if (JsonText(run, "status") != "completed") {
    return absl::UnavailableError(absl::StrCat("workflow run ", id, " has not ended"));
  }
  ASSIGN_OR_RETURN(const std::vector<nlohmann::json> jobs,
                   api.List(absl::StrCat(run_path, "/jobs?filter=latest&per_page=100"), "jobs"));
  for (const nlohmann::json& one : jobs) {
    if (JsonText(one, "name") != job) continue;
    RETURN_IF_ERROR(
        api.Send("POST",
                 absl::StrCat(repository, "/actions/jobs/", JsonNumber(one, "id"), "/rerun"),
                 nlohmann::json::object())
            .status());
    return JsonText(run, "html_url");
  }
  return absl::FailedPreconditionError(
      absl::StrCat("workflow run ", id, " has no job \"", job, "\""));
}

}  // namespace gprofhub::reporter
