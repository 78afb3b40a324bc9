#include "reporter/forge/gitlab.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "base/http/percent_coding.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "reporter/forge/gitlab_issues.h"
#include "reporter/forge/rest.h"

namespace gprofhub::reporter {

namespace {

constexpr size_t kMaxNote = 1'000'000;  // characters
constexpr size_t kMaxDescription = 255;
constexpr int64_t kDeveloper = 30;  // lowest access level with push permission

constexpr absl::string_view kEnded[] = {"success", "failed", "canceled"};

// Forge::StartAgain (docs.gitlab.com/ee/api/jobs.html). `link` is the address of a job, as in
// CI_JOB_URL: "…/-/jobs/ID"; the job to start is one of its pipeline. `project` is the path
// "/projects/ID". A merged results pipeline runs on a commit that GitLab created; then its ref
// contains the merge request's number.
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

// Whether `name`, a branch or a pattern in which "*" stands for any text, matches the branch.
bool Matches(absl::string_view name, absl::string_view branch) {
  const std::vector<absl::string_view> parts = absl::StrSplit(name, '*');
  if (parts.size() == 1) return name == branch;
  if (!absl::ConsumePrefix(&branch, parts.front()) || !absl::ConsumeSuffix(&branch, parts.back())) {
    return false;
  }
  for (size_t i = 1; i + 1 < parts.size(); ++i) {
    const size_t found = branch.find(parts[i]);
    if (found == absl::string_view::npos) return false;
    branch.remove_prefix(found + parts[i].size());
  }
  return true;
}

bool IsActive(const nlohmann::json& member) {
  const std::string membership = JsonText(member, "membership_state");  // of some editions only
  return JsonText(member, "state") == "active" && (membership.empty() || membership == "active");
}

// A member of a project, and the branches' rules (docs.gitlab.com/ee/api/protected_branches.html).
class BranchRights {
 public:
  BranchRights(const RestApi& api, const std::string& project, absl::string_view user)
      : api_(api), project_(project), user_(user) {}

  // Whether the user may push to the branch, or merge into it.
  absl::StatusOr<bool> MayChange(absl::string_view branch) const {
    ASSIGN_OR_RETURN(const nlohmann::json member,
                     GetOrNull(absl::StrCat(project_, "/members/all/", user_)));
    if (!IsActive(member)) return false;
    ASSIGN_OR_RETURN(
        const nlohmann::json found,
        GetOrNull(absl::StrCat(project_, "/repository/branches/", base::PercentEncoded(branch))));
    const nlohmann::json& is_protected = JsonField(found, "protected");
    if (!is_protected.is_boolean()) return false;
    const int64_t level = JsonNumber(member, "access_level");
    if (!is_protected.get<bool>()) return level >= kDeveloper;
    // If several rules match, GitLab applies the most permissive one.
    ASSIGN_OR_RETURN(const std::vector<nlohmann::json> rules,
                     api_.List(absl::StrCat(project_, "/protected_branches?per_page=100")));
    for (const nlohmann::json& rule : rules) {
      if (!Matches(JsonText(rule, "name"), branch)) continue;
      for (const char* const kind : {"merge_access_levels", "push_access_levels"}) {
        for (const nlohmann::json& access : JsonField(rule, kind)) {
          ASSIGN_OR_RETURN(const bool granted, Grants(access, level));
          if (granted) return true;
        }
      }
    }
    return false;
  }

 private:
  // An entry names a role, one user, or the direct members of one group. That of a user or group
  // has a role, too, which does not count. Other kinds (deploy keys, custom roles) grant nothing.
  absl::StatusOr<bool> Grants(const nlohmann::json& access, int64_t level) const {
    std::string kind;
    if (!access.is_object()) return false;
    for (const auto& [name, value] : access.items()) {
      if (!absl::EndsWith(name, "_id") || value.is_null()) continue;
      if (!kind.empty()) return false;
      kind = name;
    }
    if (kind == "user_id") return absl::StrCat(JsonNumber(access, kind.c_str())) == user_;
    if (kind == "group_id") {
      const int64_t group = JsonNumber(access, kind.c_str());
      ASSIGN_OR_RETURN(const nlohmann::json member,
                       GetOrNull(absl::StrCat("/groups/", group, "/members/", user_)));
      return IsActive(member);
    }
    const int64_t needed = JsonNumber(access, "access_level");  // 0: no one
    return kind.empty() && needed >= kDeveloper && level >= needed;
  }

  absl::StatusOr<nlohmann::json> GetOrNull(const std::string& path) const {
    absl::StatusOr<nlohmann::json> answer = api_.Get(path);
    if (absl::IsNotFound(answer.status())) return nlohmann::json();
    return answer;
  }

  const RestApi& api_;
  const std::string& project_;
  const std::string user_;
};

class GitLab final : public Forge {
 public:
  GitLab(const GitLabOptions& options, base::HttpClient http, ForgeClock clock)
      : project_(absl::StrCat("/projects/", base::PercentEncoded(options.project))),
        api_({options.base_url,
              std::move(http),
              std::move(clock),
              [token = options.token]() -> absl::StatusOr<base::HttpHeaders> {
                return base::HttpHeaders{{"PRIVATE-TOKEN", token}};
              },
              {},
              ""}) {}

  ForgeTraits traits() const override { return {true, true, kMaxNote}; }

  absl::StatusOr<PullRequest> ReadPullRequest(absl::string_view number) override {
    ASSIGN_OR_RETURN(nlohmann::json answer,
                     api_.Get(absl::StrCat(project_, "/merge_requests/", number)));
    PullRequest pull_request;
    pull_request.number = std::string(number);
    pull_request.open = JsonText(answer, "state") == "opened";
    pull_request.from_fork =
        JsonNumber(answer, "source_project_id") != JsonNumber(answer, "target_project_id");
    pull_request.head_commit = JsonText(answer, "sha");
    pull_request.target_branch = JsonText(answer, "target_branch");
    const std::string url = JsonText(answer, "web_url");
    if (!url.empty()) pull_request.checks_url = absl::StrCat(url, "/pipelines");
    if (pull_request.head_commit.empty()) {
      return absl::InternalError("GitLab's merge request has no sha");
    }
    return pull_request;
  }

  absl::StatusOr<ChangedLines> ReadChangedLines(const PullRequest& pull_request) override {
    ChangedLines changed;
    RETURN_IF_ERROR(api_.Visit(absl::StrCat(MergeRequest(pull_request), "/diffs?per_page=100"), "",
                               [&changed](const nlohmann::json& file) {
                                 changed[JsonText(file, "new_path")] =
                                     LinesOfPatch(JsonText(file, "diff"));
                               }));
    return changed;
  }

  absl::StatusOr<std::string> ReadDefaultBranch() override {
    ASSIGN_OR_RETURN(const nlohmann::json answer, api_.Get(project_));
    return JsonText(answer, "default_branch");
  }

  absl::StatusOr<bool> CommitIsOnBranch(absl::string_view commit,
                                        absl::string_view branch) override {
    absl::StatusOr<nlohmann::json> base = api_.Get(
        absl::StrCat(project_, "/repository/merge_base?refs[]=", base::PercentEncoded(commit),
                     "&refs[]=", base::PercentEncoded(branch)));
    if (absl::IsNotFound(base.status())) return false;
    if (!base.ok()) return base.status();
    return JsonText(*base, "id") == commit;
  }

  absl::StatusOr<std::string> ReadFile(absl::string_view revision,
                                       absl::string_view path) override {
    return api_.GetText(absl::StrCat(project_, "/repository/files/", base::PercentEncoded(path),
                                     "/raw?ref=", base::PercentEncoded(revision)),
                        "");
  }

  absl::Status VisitComments(const PullRequest& pull_request,
                             const std::function<void(Comment)>& visit) override {
    ASSIGN_OR_RETURN(const int64_t self, UserId());
    return api_.Visit(absl::StrCat(MergeRequest(pull_request),
                                   "/notes?sort=asc&order_by=created_at&per_page=100"),
                      "", [&](const nlohmann::json& entry) {
                        if (JsonTrue(entry, "system")) return;
                        const nlohmann::json& author = JsonField(entry, "author");
                        Comment comment;
                        comment.id = absl::StrCat(JsonNumber(entry, "id"));
                        comment.body = JsonText(entry, "body");
                        comment.author = JsonText(author, "username");
                        comment.author_id = absl::StrCat(JsonNumber(author, "id"));
                        comment.own = JsonNumber(author, "id") == self;
                        visit(std::move(comment));
                      });
  }

  absl::StatusOr<std::string> CreateComment(const PullRequest& pull_request,
                                            absl::string_view body) override {
    ASSIGN_OR_RETURN(nlohmann::json made,
                     api_.Send("POST", absl::StrCat(MergeRequest(pull_request), "/notes"),
                               {{"body", std::string(body)}}));
    return absl::StrCat(JsonNumber(made, "id"));
  }

  absl::Status EditComment(const PullRequest& pull_request, absl::string_view id,
                           absl::string_view body) override {
    return api_
        .Send("PUT", absl::StrCat(MergeRequest(pull_request), "/notes/", id),
              {{"body", std::string(body)}})
        .status();
  }

  absl::Status DeleteComment(const PullRequest& pull_request, absl::string_view id) override {
    absl::Status status = api_.Delete(absl::StrCat(MergeRequest(pull_request), "/notes/", id));
    return absl::IsNotFound(status) ? absl::OkStatus() : status;
  }

  // Annotations are published by the Code Quality report, an artifact of the CI job
  // (code_quality.h).
  absl::StatusOr<bool> PublishCheck(const PullRequest& pull_request, const Check& check,
                                    Refusals& refusals) override {
    const bool failed = check.conclusion == Check::Conclusion::kFailure;
    // A merge request does not name it.
    const absl::StatusOr<std::string> named = ReadDefaultBranch();
    if (!named.ok() && !IsRefusal(named.status())) return named.status();
    const std::string default_branch = named.value_or("");
    nlohmann::json body = {{"state", failed ? "failed" : "success"},
                           {"name", CheckNameOf(pull_request.target_branch, default_branch)},
                           {"description", base::Shortened(check.title, kMaxDescription)}};
    if (!pull_request.checks_url.empty()) body["target_url"] = pull_request.checks_url;
    const absl::Status status =
        api_.Send("POST", absl::StrCat(project_, "/statuses/", pull_request.head_commit), body)
            .status();
    // GitLab rejects the state that the commit already has.
    if (absl::IsInvalidArgument(status) &&
        absl::StrContains(status.message(), "Cannot transition status")) {
      return true;
    }
    // A token of the project has no rights in a fork, where a merge request's commit may be.
    RETURN_IF_ERROR(refusals.Absorb("commit status", status));
    return status.ok();
  }

  absl::StatusOr<bool> MayWrite(absl::string_view author_id,
                                const PullRequest& pull_request) override {
    return BranchRights(api_, project_, author_id).MayChange(pull_request.target_branch);
  }

  absl::StatusOr<std::string> StartAgain(const PullRequest& merge_request, absl::string_view link,
                                         absl::string_view job) override {
    return RetryGitLabJob(api_, project_, merge_request, link, job);
  }

  Issues* issues() override { return &issues_; }

 private:
  std::string MergeRequest(const PullRequest& pull_request) const {
    return absl::StrCat(project_, "/merge_requests/", pull_request.number);
  }

  absl::StatusOr<int64_t> UserId() {
    absl::MutexLock lock(&mutex_);
    if (user_id_ == 0) {
      ASSIGN_OR_RETURN(nlohmann::json user, api_.Get("/user"));
      user_id_ = JsonNumber(user, "id");
      if (user_id_ == 0) return absl::InternalError("GitLab's user has no id");
    }
    return user_id_;
  }

  const std::string project_;  // path
  const RestApi api_;
  GitLabIssues issues_{api_, project_, [this] { return UserId(); }};
  absl::Mutex mutex_;
  int64_t user_id_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace

std::unique_ptr<Forge> MakeGitLab(GitLabOptions options, base::HttpClient http, ForgeClock clock) {
  return std::make_unique<GitLab>(options, std::move(http), std::move(clock));
}

}  // namespace gprofhub::reporter
