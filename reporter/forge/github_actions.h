// Jobs of GitHub Actions (docs.github.com/rest/actions/workflow-runs).
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "reporter/forge/rest.h"

namespace gprofhub::reporter {

// Forge::StartAgain. `link` is the address of a workflow run, as built from GitHub Actions'
// variables: "…/actions/runs/ID". `repository` is the path "/repos/OWNER/NAME".
absl::StatusOr<std::string> StartActionsJob(const RestApi& api, const std::string& repository,
                                            absl::string_view head_commit, absl::string_view link,
                                            absl::string_view job);

}  // namespace gprofhub::reporter
