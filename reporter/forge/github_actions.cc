#include "reporter/forge/github_actions.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "reporter/forge/forge.h"

namespace gprofhub::reporter {

absl::StatusOr<std::string> StartActionsJob(const RestApi& api, const std::string& repository,
                                            absl::string_view head_commit, absl::string_view link,
                                            absl::string_view job) {
  const absl::StatusOr<std::string> id = NumberAfter(link, "/actions/runs/");
  if (!id.ok()) return id.status();
  const std::string run_path = absl::StrCat(repository, "/actions/runs/", *id);
  const absl::StatusOr<nlohmann::json> run = api.Get(run_path);
  if (!run.ok()) return run.status();
  if (JsonText(*run, "head_sha") != head_commit) {
    return absl::FailedPreconditionError(
        absl::StrCat("workflow run ", *id, " is of another commit"));
  }
  // GitHub does not restart jobs of a workflow run in progress.
  if (JsonText(*run, "status") != "completed") {
    return absl::UnavailableError(absl::StrCat("workflow run ", *id, " has not ended"));
  }
  const absl::StatusOr<std::vector<nlohmann::json>> jobs =
      api.List(absl::StrCat(run_path, "/jobs?filter=latest&per_page=100"), "jobs");
  if (!jobs.ok()) return jobs.status();
  for (const nlohmann::json& one : *jobs) {
    if (JsonText(one, "name") != job) continue;
    const absl::Status started =
        api.Send("POST",
                 absl::StrCat(repository, "/actions/jobs/", JsonNumber(one, "id"), "/rerun"),
                 nlohmann::json::object())
            .status();
    if (!started.ok()) return started;
    return JsonText(*run, "html_url");
  }
  return absl::FailedPreconditionError(
      absl::StrCat("workflow run ", *id, " has no job \"", job, "\""));
}

}  // namespace gprofhub::reporter
