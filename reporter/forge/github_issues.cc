#include "reporter/forge/github_issues.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace gprofhub::reporter {

GitHubIssues::GitHubIssues(const RestApi& api, std::string repository,
                           std::function<absl::StatusOr<std::string>()> login)
    : api_(api), repository_(std::move(repository)), login_(std::move(login)) {}

absl::StatusOr<std::vector<Issue>> GitHubIssues::List() {
  ASSIGN_OR_RETURN(const std::string self, login_());
  ASSIGN_OR_RETURN(
      const std::vector<nlohmann::json> list,
      api_.List(absl::StrCat(repository_, "/issues?labels=", kLabel, "&state=all&per_page=100")));
  std::vector<Issue> issues;
  for (const nlohmann::json& entry : list) {
    if (entry.contains("pull_request")) continue;  // the list includes pull requests
    issues.push_back({absl::StrCat(JsonNumber(entry, "number")), JsonText(entry, "body"),
                      JsonText(JsonField(entry, "user"), "login") == self});
  }
  return issues;
}

absl::StatusOr<std::string> GitHubIssues::Create(absl::string_view title, absl::string_view body) {
  ASSIGN_OR_RETURN(const nlohmann::json made,
                   api_.Send("POST", absl::StrCat(repository_, "/issues"),
                             {{"title", std::string(title)},
                              {"body", std::string(body)},
                              {"labels", nlohmann::json::array({kLabel})}}));
  const int64_t number = JsonNumber(made, "number");
  if (number == 0) return absl::InternalError("GitHub's issue has no number");
  return absl::StrCat(number);
}

absl::Status GitHubIssues::Edit(absl::string_view number, absl::string_view title,
                                absl::string_view body, IssueState state) {
  nlohmann::json changes = {{"title", std::string(title)}, {"body", std::string(body)}};
  if (state != IssueState::kAsItIs) {
    changes["state"] = state == IssueState::kOpen ? "open" : "closed";
  }
  return api_.Send("PATCH", absl::StrCat(repository_, "/issues/", number), changes).status();
}

}  // namespace gprofhub::reporter
