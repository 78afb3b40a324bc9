#include "cli/serve/reporting.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/http/curl_client.h"
#include "cli/notify/read_secret.h"
#include "cli/serve/process/process_name.h"

namespace gprofhub::cli {
namespace {

constexpr size_t kLeastSecretBytes = 16;
// A comment is often followed by its first edit, or by another one.
constexpr absl::Duration kWakeDelay = absl::Seconds(2);

// A forge that hangs holds one of the workers that make reports side by side: a project has at most
// one report under way.
constexpr int kWorkers = 4;

// Upper bound for a report or message: each is a few requests, each of a minute at most.
constexpr absl::Duration kLongestJob = absl::Hours(1);

reporter::ReportWorkerOptions Options(const ReportingOptions& reporting, const std::string& name,
                                      const ReportingObserver& observer,
                                      base::DecodingBudget* decoding) {
  reporter::ReportWorkerOptions options;
  options.decoding = decoding;
  options.name = name;
  options.page_url = reporting.page_url;
  options.picture_host = reporting.picture_host;
  options.picture_key = reporting.picture_key;
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
    const absl::StatusOr<bool> woken =
        reports.Wake(project, {number, absl::StrCat("#", number), absl::StrCat("!", number)},
                     absl::Now() + kWakeDelay);
    if (!woken.ok()) return woken.status();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadHookSecret(const ReportingOptions& options) {
  absl::StatusOr<std::string> secret = ReadSecret(options.hook_secret_file);
  if (!secret.ok() || secret->size() >= kLeastSecretBytes) return secret;
  return absl::InvalidArgumentError(
      absl::StrCat(options.hook_secret_file, ": must hold ", kLeastSecretBytes, " bytes at least"));
}

absl::StatusOr<std::unique_ptr<HookListener>> StartHooks(const store::ReportQueue& reports,
                                                         const ReportingOptions& options,
                                                         const ReportingObserver& observer) {
  if (options.hook_secret_file.empty() || options.forges.projects.empty()) {
    return absl::InvalidArgumentError(
        "--forge-webhook needs --forge-webhook-secret-file and a --forge");
  }
  HookListenerOptions hooks;
  const absl::StatusOr<ListenAddress> address = ParseListenAddress(options.hook_listen);
  if (!address.ok()) return address.status();
  hooks.listen = *address;
  absl::StatusOr<std::string> secret = ReadHookSecret(options);
  if (!secret.ok()) return secret.status();
  hooks.secret = *std::move(secret);
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
    const NotifyingStore& store, const ReportingOptions& options, const ReportingObserver& observer,
    const std::string& name) {
  auto crew = std::make_unique<Crew>();
  const base::EndFlag& stopping = crew->stopping_;
  const auto is_stopping = [&stopping] { return stopping.IsSet(); };
  const auto sleep = [&stopping](absl::Duration time) { stopping.WaitFor(time); };
  base::CurlOptions curl;
  curl.cancelled = is_stopping;
  const absl::StatusOr<reporter::ForgeByProject> forges =
      MakeForges(options.forges, base::MakeCurlClient(curl), {absl::Now, sleep});
  if (!forges.ok()) return forges.status();
  if (!options.notify_file.empty()) {
    absl::StatusOr<std::unique_ptr<Notifying>> notifying = Notifying::Start(
        store, options.notify_file, *forges, name, is_stopping, observer.on_report);
    if (!notifying.ok()) return notifying.status();
    crew->notifying_ = *std::move(notifying);
  }
  if (forges->empty()) return crew;
  for (int i = 0; i < kWorkers; ++i) {
    crew->workers_.push_back(std::make_unique<reporter::ReportWorker>(
        store.reports, store.reading, store.blobs, store.gate, *forges,
        Options(options, absl::StrCat(name, "/reporter", i), observer, store.decoding)));
  }
  for (const auto& worker : crew->workers_) {
    crew->threads_.emplace_back([worker = worker.get()] { worker->Run(); });
  }
  return crew;
}

Reporting::Crew::~Crew() {
  for (const auto& worker : workers_) worker->Stop();
  stopping_.Set();
  notifying_.reset();
  for (std::thread& thread : threads_) thread.join();
}

void Reporting::Crew::Wake() {
  for (const auto& worker : workers_) worker->Wake();
  if (notifying_ != nullptr) notifying_->Wake();
}

absl::Duration Reporting::Crew::BusyFor() const {
  absl::Duration busy = absl::ZeroDuration();
  for (const auto& worker : workers_) busy = std::max(busy, worker->BusyFor());
  if (notifying_ != nullptr) busy = std::max(busy, notifying_->BusyFor());
  return busy;
}

absl::StatusOr<std::unique_ptr<Reporting>> Reporting::Start(const NotifyingStore& store,
                                                            const ReportingOptions& options,
                                                            const ReportingObserver& observer) {
  std::unique_ptr<Reporting> reporting(new Reporting(store, options, observer));
  if (!options.hook_listen.empty()) {
    absl::StatusOr<std::unique_ptr<HookListener>> hooks =
        StartHooks(store.reports, options, observer);
    if (!hooks.ok()) return hooks.status();
    reporting->hooks_ = *std::move(hooks);
  }
  absl::StatusOr<std::unique_ptr<Crew>> crew = reporting->StartCrew();
  if (!crew.ok()) return crew.status();
  absl::MutexLock lock(&reporting->mutex_);
  reporting->crew_ = *std::move(crew);
  return reporting;
}

// Two crews may work side by side for a moment: a project has at most one report under way.
absl::StatusOr<std::unique_ptr<Reporting::Crew>> Reporting::StartCrew() {
  std::string name = ProcessName();
  if (crews_ > 0) absl::StrAppend(&name, "/again", crews_);
  ++crews_;
  return Crew::Start(store_, options_, observer_, name);
}

absl::Status Reporting::Reload() {
  absl::StatusOr<std::string> secret = "";
  if (hooks_ != nullptr) secret = ReadHookSecret(options_);
  if (!secret.ok()) return secret.status();
  absl::StatusOr<std::unique_ptr<Crew>> next = StartCrew();
  if (!next.ok()) return next.status();
  if (hooks_ != nullptr) hooks_->SetSecret(*std::move(secret));
  {
    absl::MutexLock lock(&mutex_);
    crew_.swap(*next);
  }
  next->reset();  // the one before
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
  if (busy <= kLongestJob) return absl::OkStatus();
  return absl::DeadlineExceededError(absl::StrCat("a report takes ", absl::FormatDuration(busy)));
}

Reporting::~Reporting() { hooks_.reset(); }

}  // namespace gprofhub::cli
