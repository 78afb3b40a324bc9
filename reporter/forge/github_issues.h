// Issues of GitHub (docs.github.com/rest/issues/issues).
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "reporter/forge/forge.h"
#include "reporter/forge/rest.h"

namespace gprofhub::reporter {

class GitHubIssues final : public Issues {
 public:
  // Keeps a reference to `api`. `repository` is the path "/repos/OWNER/NAME", and `login` the own
  // account.
  GitHubIssues(const RestApi& api, std::string repository,
               std::function<absl::StatusOr<std::string>()> login);

  absl::StatusOr<std::vector<Issue>> List() override;
  absl::StatusOr<std::string> Create(absl::string_view title, absl::string_view body) override;
  absl::Status Edit(absl::string_view number, absl::string_view title, absl::string_view body,
                    IssueState state) override;

 private:
  const RestApi& api_;
  const std::string repository_;
  const std::function<absl::StatusOr<std::string>()> login_;
};

}  // namespace gprofhub::reporter
