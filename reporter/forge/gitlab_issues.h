// Issues of GitLab (docs.gitlab.com/ee/api/issues.html).
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "reporter/forge/forge.h"
#include "reporter/forge/rest.h"

namespace gprofhub::reporter {

class GitLabIssues final : public Issues {
 public:
  // Keeps a reference to `api`. `project` is the path "/projects/ID", and `user_id` the own
  // account.
  GitLabIssues(const RestApi& api, std::string project,
               std::function<absl::StatusOr<int64_t>()> user_id);

  absl::StatusOr<std::vector<Issue>> List() override;
  absl::StatusOr<std::string> Create(absl::string_view title, absl::string_view body) override;
  absl::Status Edit(absl::string_view number, absl::string_view title, absl::string_view body,
                    IssueState state) override;

 private:
  const RestApi& api_;
  const std::string project_;
  const std::function<absl::StatusOr<int64_t>()> user_id_;
};

}  // namespace gprofhub::reporter
