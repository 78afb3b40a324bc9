#include "reporter/forge/gitlab_issues.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace gprofhub::reporter {

GitLabIssues::GitLabIssues(const RestApi& api, std::string project,
                           std::function<absl::StatusOr<int64_t>()> user_id)
    : api_(api), project_(std::move(project)), user_id_(std::move(user_id)) {}

absl::StatusOr<std::vector<Issue>> GitLabIssues::List() {
  ASSIGN_OR_RETURN(const int64_t self, user_id_());
  ASSIGN_OR_RETURN(
      const std::vector<nlohmann::json> list,
      api_.List(absl::StrCat(project_, "/issues?labels=", kLabel, "&scope=all&per_page=100")));
  std::vector<Issue> issues;
  for (const nlohmann::json& entry : list) {
    issues.push_back({absl::StrCat(JsonNumber(entry, "iid")), JsonText(entry, "description"),
                      JsonNumber(JsonField(entry, "author"), "id") == self});
  }
  return issues;
}

absl::StatusOr<std::string> GitLabIssues::Create(absl::string_view title, absl::string_view body) {
  ASSIGN_OR_RETURN(const nlohmann::json made, api_.Send("POST", absl::StrCat(project_, "/issues"),
                                                        {{"title", std::string(title)},
                                                         {"description", std::string(body)},
                                                         {"labels", kLabel}}));
  const int64_t number = JsonNumber(made, "iid");
  if (number == 0) return absl::InternalError("GitLab's issue has no iid");
  return absl::StrCat(number);
}

absl::Status GitLabIssues::Edit(absl::string_view number, absl::string_view title,
                                absl::string_view body, IssueState state) {
  nlohmann::json changes = {{"title", std::string(title)}, {"description", std::string(body)}};
  if (state != IssueState::kAsItIs) {
    changes["state_event"] = state == IssueState::kOpen ? "reopen" : "close";
  }
  return api_.Send("PUT", absl::StrCat(project_, "/issues/", number), changes).status();
}

}  // namespace gprofhub::reporter
