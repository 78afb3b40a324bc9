#include "reporter/forge/github.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/http/percent_coding.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "reporter/forge/github_issues.h"
#include "reporter/forge/rest.h"

namespace gprofhub::reporter {

namespace {

constexpr size_t kMaxBody = 65536;  // in characters, so a limit in bytes is safe
constexpr size_t kMaxField = 65535;
constexpr size_t kMaxTitle = 255;
constexpr size_t kMaxStatusDescription = 140;
constexpr size_t kAnnotationsPerRequest = 50;
// More would hide the pull request's own discussion; the comment has the rest.
constexpr size_t kMaxAnnotations = 100;

const char* ConclusionName(Check::Conclusion conclusion) {
  switch (conclusion) {
    case Check::Conclusion::kSuccess:
      return "success";
    case Check::Conclusion::kFailure:
      return "failure";
    case Check::Conclusion::kNeutral:
      return "neutral";
  }
  return "neutral";
}

nlohmann::json ToJson(const Annotation& annotation) {
  return {{"path", annotation.path},
          {"start_line", annotation.line},
          {"end_line", annotation.line},
          {"annotation_level", "warning"},
          {"title", base::Shortened(annotation.title, kMaxTitle)},
          {"message", base::Shortened(annotation.message, 2000)}};
}

std::string EncodedPath(absl::string_view path) {
  std::vector<std::string> parts;
  for (absl::string_view part : absl::StrSplit(path, '/'))
    parts.push_back(base::PercentEncoded(part));
  return absl::StrJoin(parts, "/");
}

// Forge::StartAgain (docs.github.com/rest/actions/workflow-runs). `link` is the address of a
// workflow run, as built from GitHub Actions' variables: "…/actions/runs/ID". `repository` is the
// path
// "/repos/OWNER/NAME".
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

class GitHub final : public Forge {
 public:
  GitHub(GitHubOptions options, base::HttpClient http, ForgeClock clock)
      : repository_(absl::StrCat("/repos/", options.repository)),
        token_(std::holds_alternative<std::string>(options.credentials)
                   ? std::get<std::string>(options.credentials)
                   : ""),
        installation_(std::holds_alternative<GitHubApp>(options.credentials)
                          ? std::make_unique<GitHubInstallation>(
                                options.base_url, http, clock,
                                std::get<GitHubApp>(options.credentials), options.repository)
                          : nullptr),
        api_({options.base_url,
              std::move(http),
              std::move(clock),
              [this] { return Headers(); },
              {},
              ""}) {}

  ForgeTraits traits() const override { return {true, true, kMaxBody}; }

  absl::StatusOr<PullRequest> ReadPullRequest(absl::string_view number) override {
    ASSIGN_OR_RETURN(nlohmann::json answer, api_.Get(absl::StrCat(repository_, "/pulls/", number)));
    const nlohmann::json& head = JsonField(answer, "head");
    const nlohmann::json& base = JsonField(answer, "base");
    PullRequest pull_request;
    pull_request.number = std::string(number);
    pull_request.open = JsonText(answer, "state") == "open";
    // The repository is null if a fork was deleted.
    pull_request.from_fork =
        JsonNumber(JsonField(head, "repo"), "id") != JsonNumber(JsonField(base, "repo"), "id");
    pull_request.head_commit = JsonText(head, "sha");
    pull_request.target_branch = JsonText(base, "ref");
    pull_request.default_branch = JsonText(JsonField(base, "repo"), "default_branch");
    const std::string url = JsonText(answer, "html_url");
    if (!url.empty()) pull_request.checks_url = absl::StrCat(url, "/checks");
    if (pull_request.head_commit.empty()) {
      return absl::InternalError("GitHub's pull request has no head.sha");
    }
    return pull_request;
  }

  absl::StatusOr<ChangedLines> ReadChangedLines(const PullRequest& pull_request) override {
    ChangedLines changed;
    RETURN_IF_ERROR(
        api_.Visit(absl::StrCat(repository_, "/pulls/", pull_request.number, "/files?per_page=100"),
                   "", [&changed](const nlohmann::json& file) {
                     changed[JsonText(file, "filename")] = LinesOfPatch(JsonText(file, "patch"));
                   }));
    return changed;
  }

  absl::StatusOr<std::string> ReadDefaultBranch() override {
    ASSIGN_OR_RETURN(const nlohmann::json answer, api_.Get(repository_));
    return JsonText(answer, "default_branch");
  }

  absl::StatusOr<bool> CommitIsOnBranch(absl::string_view commit,
                                        absl::string_view branch) override {
    absl::StatusOr<nlohmann::json> answer =
        api_.Get(absl::StrCat(repository_, "/compare/", base::PercentEncoded(commit), "...",
                              base::PercentEncoded(branch), "?per_page=1"));
    if (absl::IsNotFound(answer.status())) return false;
    if (!answer.ok()) return answer.status();
    const std::string status = JsonText(*answer, "status");
    return status == "ahead" || status == "identical";
  }

  absl::StatusOr<std::string> ReadFile(absl::string_view revision,
                                       absl::string_view path) override {
    return api_.GetText(absl::StrCat(repository_, "/contents/", EncodedPath(path),
                                     "?ref=", base::PercentEncoded(revision)),
                        "application/vnd.github.raw+json");
  }

  absl::Status VisitComments(const PullRequest& pull_request,
                             const std::function<void(Comment)>& visit) override {
    ASSIGN_OR_RETURN(const std::string self, Login());
    return api_.Visit(
        absl::StrCat(repository_, "/issues/", pull_request.number, "/comments?per_page=100"), "",
        [&](const nlohmann::json& entry) {
          Comment comment;
          comment.id = absl::StrCat(JsonNumber(entry, "id"));
          comment.body = JsonText(entry, "body");
          comment.author = JsonText(JsonField(entry, "user"), "login");
          comment.author_id = comment.author;
          comment.own = comment.author == self;
          visit(std::move(comment));
        });
  }

  absl::StatusOr<std::string> CreateComment(const PullRequest& pull_request,
                                            absl::string_view body) override {
    ASSIGN_OR_RETURN(
        nlohmann::json made,
        api_.Send("POST", absl::StrCat(repository_, "/issues/", pull_request.number, "/comments"),
                  {{"body", std::string(body)}}));
    return absl::StrCat(JsonNumber(made, "id"));
  }

  absl::Status EditComment(const PullRequest&, absl::string_view id,
                           absl::string_view body) override {
    return api_
        .Send("PATCH", absl::StrCat(repository_, "/issues/comments/", id),
              {{"body", std::string(body)}})
        .status();
  }

  absl::Status DeleteComment(const PullRequest&, absl::string_view id) override {
    absl::Status status = api_.Delete(absl::StrCat(repository_, "/issues/comments/", id));
    return absl::IsNotFound(status) ? absl::OkStatus() : status;
  }

  absl::StatusOr<bool> PublishCheck(const PullRequest& pull_request, const Check& check,
                                    Refusals& refusals) override {
    const bool app = installation_ != nullptr;
    const absl::Status status =
        app ? PublishCheckRun(pull_request, check, refusals) : PublishStatus(pull_request, check);
    RETURN_IF_ERROR(refusals.Absorb(app ? "check run" : "commit status", status));
    return status.ok();
  }

  absl::StatusOr<bool> MayWrite(absl::string_view author_id,
                                const PullRequest& pull_request) override {
    absl::StatusOr<nlohmann::json> answer = api_.Get(absl::StrCat(
        repository_, "/collaborators/", base::PercentEncoded(author_id), "/permission"));
    if (absl::IsNotFound(answer.status())) return false;
    if (!answer.ok()) return answer.status();
    const std::string permission = JsonText(*answer, "permission");
    if (permission == "admin") return true;
    if (permission != "write") return false;  // GitHub reports "maintain" as write
    ASSIGN_OR_RETURN(const bool restricted, IsRestricted(pull_request.target_branch));
    return !restricted;
  }

  absl::StatusOr<std::string> StartAgain(const PullRequest& pull_request, absl::string_view link,
                                         absl::string_view job) override {
    return StartActionsJob(api_, repository_, pull_request.head_commit, link, job);
  }

  Issues* issues() override { return &issues_; }

 private:
  absl::StatusOr<base::HttpHeaders> Headers() {
    std::string token = token_;
    if (installation_ != nullptr) {
      ASSIGN_OR_RETURN(std::string made, installation_->Token());
      token = std::move(made);
    }
    return base::HttpHeaders{{"Authorization", absl::StrCat("Bearer ", token)},
                             {"Accept", "application/vnd.github+json"},
                             {"X-GitHub-Api-Version", "2022-11-28"}};
  }

  // Whether a rule set of the repository or its organisation restricts who may update the branch.
  // Whom it exempts is visible to administrators only, so write permission does not suffice there.
  absl::StatusOr<bool> IsRestricted(absl::string_view branch) {
    bool restricted = false;
    const absl::Status read =
        api_.Visit(absl::StrCat(repository_, "/rules/branches/", base::PercentEncoded(branch),
                                "?per_page=100"),
                   "", [&restricted](const nlohmann::json& rule) {
                     restricted |= JsonText(rule, "type") == "update";
                   });
    // GitHub Enterprise Server has rule sets since 3.11.
    if (absl::IsNotFound(read)) return false;
    if (!read.ok()) return read;
    return restricted;
  }

  absl::StatusOr<std::string> Login() {
    if (installation_ != nullptr) return installation_->Login();
    absl::MutexLock lock(&mutex_);
    if (login_.empty()) {
      ASSIGN_OR_RETURN(nlohmann::json user, api_.Get("/user"));
      login_ = JsonText(user, "login");
      if (login_.empty()) return absl::InternalError("GitHub's user has no login");
    }
    return login_;
  }

  static std::string NameOf(const PullRequest& pull_request) {
    return CheckNameOf(pull_request.target_branch, pull_request.default_branch);
  }

  absl::Status PublishStatus(const PullRequest& pull_request, const Check& check) {
    const bool failed = check.conclusion == Check::Conclusion::kFailure;
    return api_
        .Send("POST", absl::StrCat(repository_, "/statuses/", pull_request.head_commit),
              {{"state", failed ? "failure" : "success"},
               {"context", NameOf(pull_request)},
               {"description", base::Shortened(check.title, kMaxStatusDescription)}})
        .status();
  }

  // A request takes fifty annotations; further requests append. So an existing check run with this
  // key is kept, and only the annotations that an earlier attempt did not send are appended. GitHub
  // refuses the whole request for one annotation.
  absl::Status PublishCheckRun(const PullRequest& pull_request, const Check& check,
                               Refusals& refusals) {
    ASSIGN_OR_RETURN(
        std::vector<nlohmann::json> runs,
        api_.List(absl::StrCat(
                      repository_, "/commits/", pull_request.head_commit, "/check-runs?check_name=",
                      base::PercentEncoded(NameOf(pull_request)), "&filter=all&per_page=100"),
                  "check_runs"));
    const size_t wanted = std::min(check.annotations.size(), kMaxAnnotations);
    int64_t id = 0;
    size_t sent = 0;
    for (const nlohmann::json& run : runs) {
      if (JsonText(run, "external_id") != check.key || JsonNumber(run, "id") < id) continue;
      id = JsonNumber(run, "id");
      sent = static_cast<size_t>(
          std::max<int64_t>(0, JsonNumber(JsonField(run, "output"), "annotations_count")));
    }
    // A newer result under another key hides this one, so it is created again.
    const bool newest = std::none_of(runs.begin(), runs.end(), [id](const nlohmann::json& run) {
      return JsonNumber(run, "id") > id;
    });
    if (!newest) id = 0, sent = 0;
    while (id == 0 || sent < wanted) {
      const size_t end = std::min(wanted, sent + kAnnotationsPerRequest);
      nlohmann::json annotations = nlohmann::json::array();
      for (; sent < end; ++sent) annotations.push_back(ToJson(check.annotations[sent]));
      absl::StatusOr<nlohmann::json> done = SendCheckRun(pull_request, check, id, annotations);
      if (absl::IsInvalidArgument(done.status()) && !annotations.empty()) {
        const absl::Status refused = done.status();
        if (id == 0) done = SendCheckRun(pull_request, check, id, nlohmann::json::array());
        if (id != 0 || done.ok()) {
          refusals.Add("annotations", refused);
          return absl::OkStatus();
        }
      }
      if (!done.ok()) return done.status();
      id = JsonNumber(*done, "id");
      if (id == 0) return absl::InternalError("GitHub's check run has no id");
    }
    return absl::OkStatus();
  }

  absl::StatusOr<nlohmann::json> SendCheckRun(const PullRequest& pull_request, const Check& check,
                                              int64_t id, const nlohmann::json& annotations) {
    nlohmann::json body = {{"name", NameOf(pull_request)},
                           {"external_id", check.key},
                           {"status", "completed"},
                           {"conclusion", ConclusionName(check.conclusion)},
                           {"output",
                            {{"title", base::Shortened(check.title, kMaxTitle)},
                             {"summary", check.summary.substr(0, kMaxField)},
                             {"annotations", annotations}}}};
    if (id != 0) {
      return api_.Send("PATCH", absl::StrCat(repository_, "/check-runs/", id), body);
    }
    body["head_sha"] = pull_request.head_commit;
    return api_.Send("POST", absl::StrCat(repository_, "/check-runs"), body);
  }

  const std::string repository_;  // path
  const std::string token_;
  const std::unique_ptr<GitHubInstallation> installation_;
  const RestApi api_;
  GitHubIssues issues_{api_, repository_, [this] { return Login(); }};
  absl::Mutex mutex_;
  std::string login_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<Forge> MakeGitHub(GitHubOptions options, base::HttpClient http, ForgeClock clock) {
  return std::make_unique<GitHub>(std::move(options), std::move(http), std::move(clock));
}

}  // namespace gprofhub::reporter
