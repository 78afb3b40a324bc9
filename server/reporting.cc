#include "server/reporting.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "base/http/http.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "reporter/forge/gerrit.h"
#include "reporter/forge/github.h"
#include "reporter/forge/github_auth.h"
#include "reporter/forge/gitlab.h"
#include "reporter/worker/delivery_worker.h"
#include "server/metrics.h"
#include "server/notifying.h"
#include "server/observing.h"
#include "server/signals.h"
#include "store/open_store.h"
#include "store/upkeep.h"

namespace gprofhub::server {

namespace {

absl::Status NeedsCredentials(absl::string_view entry, absl::string_view flags) {
  return absl::InvalidArgumentError(absl::StrCat("--forge ", entry, " needs ", flags));
}

// "owner/name", or deeper for GitLab.
bool IsRepository(absl::string_view name, size_t least_parts, size_t most_parts) {
  const std::vector<absl::string_view> parts = absl::StrSplit(name, '/');
  for (absl::string_view part : parts) {
    if (part.empty() || part == "." || part == "..") return false;
    for (const char c : part) {
      if (!absl::ascii_isalnum(c) && !absl::StrContains("._-", c)) return false;
    }
  }
  return parts.size() >= least_parts && parts.size() <= most_parts;
}

class Maker {
 public:
  Maker(const ForgeOptions& options, const base::HttpClient& http,
        const reporter::ForgeClock& clock)
      : options_(options), http_(http), clock_(clock) {}

  absl::StatusOr<std::shared_ptr<reporter::Forge>> Make(const std::string& entry,
                                                        const std::string& kind,
                                                        const std::string& name) {
    if (kind == "github" && IsRepository(name, 2, 2)) return MakeGitHubForge(entry, name);
    if (kind == "gitlab" && IsRepository(name, 2, 20)) return MakeGitLabForge(entry, name);
    if (kind == "gerrit" && IsRepository(name, 1, 20)) return MakeGerritForge(entry, name);
    return absl::InvalidArgumentError(
        absl::StrCat("--forge ", entry,
                     " is not of the form PROJECT=github:OWNER/NAME, PROJECT=gitlab:GROUP/NAME or "
                     "PROJECT=gerrit:NAME"));
  }

 private:
  absl::StatusOr<std::shared_ptr<reporter::Forge>> MakeGitHubForge(const std::string& entry,
                                                                   const std::string& name) {
    reporter::GitHubOptions github;
    github.base_url = std::string(base::WithoutTrailingSlashes(options_.github_url));
    github.repository = name;
    if (!options_.github_app_id.empty() && !options_.github_app_key_file.empty()) {
      ASSIGN_OR_RETURN(std::string key, ReadSecret(options_.github_app_key_file));
      // A wrong key is better found now than at the first report.
      const absl::Status good =
          reporter::MakeAppJwt(options_.github_app_id, key, absl::UnixEpoch()).status();
      if (!good.ok()) return base::WithContext(good, options_.github_app_key_file);
      github.credentials = reporter::GitHubApp{options_.github_app_id, std::move(key)};
    } else if (!options_.github_token_file.empty()) {
      ASSIGN_OR_RETURN(std::string token, ReadHeaderSecret(options_.github_token_file));
      github.credentials = std::move(token);
    } else {
      return NeedsCredentials(entry,
                              "--github-app-id and --github-app-key-file, or --github-token-file");
    }
    return std::shared_ptr<reporter::Forge>(reporter::MakeGitHub(std::move(github), http_, clock_));
  }

  absl::StatusOr<std::shared_ptr<reporter::Forge>> MakeGitLabForge(const std::string& entry,
                                                                   const std::string& name) {
    if (options_.gitlab_token_file.empty()) return NeedsCredentials(entry, "--gitlab-token-file");
    ASSIGN_OR_RETURN(std::string token, ReadHeaderSecret(options_.gitlab_token_file));
    return std::shared_ptr<reporter::Forge>(reporter::MakeGitLab(
        {std::string(base::WithoutTrailingSlashes(options_.gitlab_url)), name, std::move(token)},
        http_, clock_));
  }

  absl::StatusOr<std::shared_ptr<reporter::Forge>> MakeGerritForge(const std::string& entry,
                                                                   const std::string& name) {
    if (options_.gerrit_url.empty() || options_.gerrit_password_file.empty()) {
      return NeedsCredentials(entry, "--gerrit-url and --gerrit-password-file");
    }
    ASSIGN_OR_RETURN(std::string secret, ReadSecret(options_.gerrit_password_file));
    const std::pair<std::string, std::string> user_and_password =
        absl::StrSplit(secret, absl::MaxSplits(':', 1));
    if (user_and_password.first.empty() || user_and_password.second.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(options_.gerrit_password_file, ": must contain USER:PASSWORD"));
    }
    return std::shared_ptr<reporter::Forge>(reporter::MakeGerrit(
        {std::string(base::WithoutTrailingSlashes(options_.gerrit_url)), name,
         user_and_password.first, user_and_password.second, options_.gerrit_label},
        http_, clock_));
  }

  const ForgeOptions& options_;
  const base::HttpClient& http_;
  const reporter::ForgeClock& clock_;
};

}  // namespace

std::vector<std::string> ProjectsOf(const ForgeOptions& options,
                                    const reporter::HookComment& comment) {
  const bool github = comment.forge == reporter::HookForge::kGitHub;
  const std::string place = absl::StrCat(github ? "github:" : "gitlab:", comment.repository);
  std::vector<std::string> projects;
  for (const std::string& entry : options.projects) {
    const std::pair<std::string, std::string> sides =
        absl::StrSplit(entry, absl::MaxSplits('=', 1));
    // Names at forges are case-insensitive.
    if (absl::EqualsIgnoreCase(sides.second, place)) projects.push_back(sides.first);
  }
  return projects;
}

absl::StatusOr<reporter::ForgeByProject> MakeForges(const ForgeOptions& options,
                                                    const base::HttpClient& http,
                                                    const reporter::ForgeClock& clock) {
  Maker maker(options, http, clock);
  reporter::ForgeByProject forges;
  std::map<std::string, std::shared_ptr<reporter::Forge>> by_repository;
  for (const std::string& entry : options.projects) {
    const std::pair<std::string, std::string> sides =
        absl::StrSplit(entry, absl::MaxSplits('=', 1));
    const std::pair<std::string, std::string> place =
        absl::StrSplit(sides.second, absl::MaxSplits(':', 1));
    // Names at forges are case-insensitive.
    std::shared_ptr<reporter::Forge>& forge = by_repository[absl::AsciiStrToLower(sides.second)];
    if (forge == nullptr || sides.first.empty()) {
      ASSIGN_OR_RETURN(forge,
                       maker.Make(entry, sides.first.empty() ? "" : place.first, place.second));
    }
    if (!forges.emplace(sides.first, forge).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("--forge ", entry, ": the project is given twice"));
    }
  }
  return forges;
}

namespace {

constexpr size_t kLeastSecretBytes = 16;
// A comment is often followed by its first edit, or by another one.
constexpr absl::Duration kWakeDelay = absl::Seconds(2);

// A forge that hangs holds one of the workers that make reports side by side: a project has at most
// one report under way.
constexpr int kWorkers = 4;

// Upper bound for a report or message: each is a few requests, each of a minute at most.
constexpr absl::Duration kLongestReport = absl::Hours(1);

reporter::ReportWorkerOptions Options(const CommentLinks& links, const std::string& name,
                                      const ReportingObserver& observer,
                                      base::MemoryBudget* decoding) {
  reporter::ReportWorkerOptions options;
  options.decoding = decoding;
  options.name = name;
  options.page_url = links.page_url;
  options.picture_host = links.picture_host;
  options.picture_key = links.picture_key;
  options.on_ended = observer.on_report;
  return options;
}

// Makes the report on the comment's pull request due. It reads the comments at the forge.
absl::Status Wake(const store::ReportQueue& reports, const ForgeOptions& forges,
                  const reporter::HookComment& comment) {
  const std::vector<std::string> projects = ProjectsOf(forges, comment);
  if (projects.empty()) return absl::NotFoundError("not a repository of this server");
  const std::string& number = comment.pull_request;
  for (const std::string& project : projects) {
    RETURN_IF_ERROR(reports
                        .Wake(project,
                              {number, absl::StrCat("#", number), absl::StrCat("!", number)},
                              absl::Now() + kWakeDelay)
                        .status());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadHookSecret(const ReportingOptions& options) {
  absl::StatusOr<std::string> secret = ReadHeaderSecret(options.hook_secret_file);
  if (!secret.ok() || secret->size() >= kLeastSecretBytes) return secret;
  return absl::InvalidArgumentError(absl::StrCat(
      options.hook_secret_file, ": must contain at least ", kLeastSecretBytes, " bytes"));
}

absl::StatusOr<std::unique_ptr<HookListener>> StartHooks(const store::ReportQueue& reports,
                                                         const ReportingOptions& options,
                                                         const ReportingObserver& observer) {
  if (options.hook_secret_file.empty() || options.forges.projects.empty()) {
    return absl::InvalidArgumentError(
        "--forge-webhook needs --forge-webhook-secret-file and a --forge");
  }
  HookListenerOptions hooks;
  ASSIGN_OR_RETURN(const ListenAddress address, ParseListenAddress(options.hook_listen));
  hooks.listen = address;
  ASSIGN_OR_RETURN(std::string secret, ReadHookSecret(options));
  hooks.secret = std::move(secret);
  hooks.on_answered = observer.on_webhook;
  absl::StatusOr<std::unique_ptr<HookListener>> listener = HookListener::Start(
      std::move(hooks), [reports, forges = options.forges](const reporter::HookComment& comment) {
        return Wake(reports, forges, comment);
      });
  if (listener.ok()) {
    spdlog::info("webhooks of forges on {}", (*listener)->address().ToString());
  }
  return listener;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Reporting::Crew>> Reporting::Crew::Start(
    const NotifyingStore& store, const ReportingOptions& options, const CommentLinks& links,
    const ReportingObserver& observer, const std::string& name) {
  auto crew = std::make_unique<Crew>();
  const base::StopToken& stopping = crew->stopping_;
  const auto is_stopping = [&stopping] { return stopping.IsSet(); };
  const auto sleep = [&stopping](absl::Duration time) { stopping.WaitFor(time); };
  base::CurlOptions curl;
  curl.cancelled = is_stopping;
  ASSIGN_OR_RETURN(const reporter::ForgeByProject forges,
                   MakeForges(options.forges, base::MakeCurlClient(curl), {absl::Now, sleep}));
  if (!options.notify_file.empty()) {
    ASSIGN_OR_RETURN(std::unique_ptr<Notifying> notifying,
                     Notifying::Start(store, options.notify_file, forges, name, is_stopping,
                                      observer.on_report));
    crew->notifying_ = std::move(notifying);
  }
  if (forges.empty()) return crew;
  for (int i = 0; i < kWorkers; ++i) {
    const std::string worker_name = absl::StrCat(name, "/reporter", i);
    const auto worker = std::make_shared<reporter::ReportWorker>(
        store.reports, store.reading, store.blobs, store.gate, forges,
        Options(links, worker_name, observer, store.decoding));
    crew->workers_.Add(reporter::StartReporterLoop(
        worker_name,
        [worker](const base::StopToken& stopped) { return worker->RunOnce(stopped); }));
  }
  const std::string keeper_name = absl::StrCat(name, "/branches");
  const auto keeper =
      std::make_shared<reporter::MainBranchKeeper>(store.reports, forges, keeper_name);
  crew->workers_.Add(reporter::StartReporterLoop(
      keeper_name, [keeper](const base::StopToken&) { return keeper->RunOnce(); }));
  return crew;
}

Reporting::Crew::~Crew() {
  workers_.Stop();
  stopping_.Set();
  notifying_.reset();
}

void Reporting::Crew::Wake() {
  workers_.Wake();
  if (notifying_ != nullptr) notifying_->Wake();
}

absl::Duration Reporting::Crew::BusyFor() const {
  absl::Duration busy = workers_.BusyFor();
  if (notifying_ != nullptr) busy = std::max(busy, notifying_->BusyFor());
  return busy;
}

absl::StatusOr<std::unique_ptr<Reporting>> Reporting::Start(const NotifyingStore& store,
                                                            const ReportingOptions& options,
                                                            const CommentLinks& links,
                                                            const ReportingObserver& observer) {
  std::unique_ptr<Reporting> reporting(new Reporting(store, options, links, observer));
  if (!options.hook_listen.empty()) {
    ASSIGN_OR_RETURN(std::unique_ptr<HookListener> hooks,
                     StartHooks(store.reports, options, observer));
    reporting->hooks_ = std::move(hooks);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Crew> crew, reporting->StartCrew());
  absl::MutexLock lock(&reporting->mutex_);
  reporting->crew_ = std::move(crew);
  return reporting;
}

// Two crews may work side by side for a moment: a project has at most one report under way.
absl::StatusOr<std::unique_ptr<Reporting::Crew>> Reporting::StartCrew() {
  std::string name = ProcessName();
  if (crews_ > 0) absl::StrAppend(&name, "/again", crews_);
  ++crews_;
  return Crew::Start(store_, options_, links_, observer_, name);
}

absl::Status Reporting::Reload() {
  absl::StatusOr<std::string> secret = "";
  if (hooks_ != nullptr) secret = ReadHookSecret(options_);
  if (!secret.ok()) return secret.status();
  ASSIGN_OR_RETURN(std::unique_ptr<Crew> next, StartCrew());
  if (hooks_ != nullptr) hooks_->SetSecret(*std::move(secret));
  {
    absl::MutexLock lock(&mutex_);
    crew_.swap(next);
  }
  next.reset();  // the one before
  return absl::OkStatus();
}

void Reporting::Wake() {
  absl::MutexLock lock(&mutex_);
  crew_->Wake();
}

absl::Status Reporting::CheckAlive() const {
  absl::Duration busy = absl::ZeroDuration();
  {
    absl::MutexLock lock(&mutex_);
    busy = crew_->BusyFor();
  }
  if (busy <= kLongestReport) return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrCat("a report has taken ", absl::FormatDuration(busy)));
}

Reporting::~Reporting() { hooks_.reset(); }

bool HasDestination(const ReportingOptions& options) {
  return !options.forges.projects.empty() || !options.notify_file.empty() ||
         !options.hook_listen.empty();
}

Reporter::Reporter(const ServerContext& context, const ReportingOptions& options,
                   const CommentLinks& links)
    : context_(context), options_(options), links_(links) {}

Reporter::~Reporter() = default;

absl::Status Reporter::Start() {
  const store::Store& store = context_.store.store;
  if (HasDestination(options_)) {
    ASSIGN_OR_RETURN(reporting_,
                     Reporting::Start({store.reports, store.reading, store.blobs, store.gate,
                                       store.notifications, &context_.decoding},
                                      options_, links_,
                                      {context_.metrics.OnReport(), context_.metrics.OnWebhook()}));
    context_.reloading.Add("the files of --notify and of the forge options",
                           [this] { return reporting_->Reload(); });
    context_.observing.AddLifeSign("reporter", [this] { return reporting_->CheckAlive(); });
  }
  if (options_.notify_file.empty()) {
    reporter::ChangesKeeperOptions options;
    options.name = absl::StrCat(ProcessName(), "/changes");
    options.decoding = &context_.decoding;
    const auto keeper = std::make_shared<reporter::ChangesKeeper>(store.reports, store.reading,
                                                                  store.blobs, options);
    keeping_ = reporter::StartReporterLoop(options.name, [keeper](const base::StopToken& stopping) {
      return keeper->RunOnce(stopping);
    });
  }
  return absl::OkStatus();
}

void Reporter::Stop() {
  keeping_.reset();
  reporting_.reset();
}

void Reporter::Wake() {
  if (reporting_ != nullptr) reporting_->Wake();
  if (keeping_ != nullptr) keeping_->Wake();
}

}  // namespace gprofhub::server
