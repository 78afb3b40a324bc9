// Jobs of GitLab's CI (docs.gitlab.com/ee/api/jobs.html).
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "reporter/forge/forge.h"
#include "reporter/forge/rest.h"

namespace gprofhub::reporter {

// Forge::StartAgain. `link` is the address of a job, as in CI_JOB_URL: "…/-/jobs/ID"; the job to
// start is one of its pipeline. `project` is the path "/projects/ID". A merged results pipeline
// runs on a commit that GitLab created; then its ref contains the merge request's number.
absl::StatusOr<std::string> RetryGitLabJob(const RestApi& api, const std::string& project,
                                           const PullRequest& merge_request, absl::string_view link,
                                           absl::string_view job);

}  // namespace gprofhub::reporter
