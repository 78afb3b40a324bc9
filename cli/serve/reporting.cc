#include "cli/serve/reporting.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/notify/read_secret.h"
#include "cli/serve/process/process_name.h"
#include "reporter/forge/http/curl_client.h"

namespace gprofhub::cli {
namespace {

constexpr size_t kLeastSecretBytes = 16;
// A comment is often followed by its first edit, or by another one.
constexpr absl::Duration kWakeDelay = absl::Seconds(2);

// A forge that hangs holds one of the workers that make reports side by side: a project has at most
// one report under way.
constexpr int kWorkers = 4;

// No report or message takes so long: each is a few requests, each of a minute at most.
constexpr absl::Duration kLongestJob = absl::Hours(1);

reporter::ReportWorkerOptions Options(const std::string& page_url, int worker,
                                      const ReportingObserver& observer) {
  reporter::ReportWorkerOptions options;
  options.name = absl::StrCat(ProcessName(), "/reporter", worker);
  options.page_url = page_url;
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
  absl::StatusOr<std::string> secret = ReadSecret(options.hook_secret_file);
  if (!secret.ok()) return secret.status();
  if (secret->size() < kLeastSecretBytes) {
    return absl::InvalidArgumentError(absl::StrCat(options.hook_secret_file, ": must hold ",
                                                   kLeastSecretBytes, " bytes at least"));
  }
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

absl::StatusOr<std::unique_ptr<Reporting>> Reporting::Start(const NotifyingStore& store,
                                                            const ReportingOptions& options,
                                                            const ReportingObserver& observer) {
  std::unique_ptr<Reporting> reporting(new Reporting());
  const absl::Notification& stopping = reporting->stopping_;
  const auto is_stopping = [&stopping] { return stopping.HasBeenNotified(); };
  const auto sleep = [&stopping](absl::Duration time) {
    stopping.WaitForNotificationWithTimeout(time);
  };
  reporter::CurlOptions curl;
  curl.cancelled = is_stopping;
  const absl::StatusOr<reporter::ForgeByProject> forges =
      MakeForges(options.forges, reporter::MakeCurlClient(curl), {absl::Now, sleep});
  if (!forges.ok()) return forges.status();
  if (!options.notify_file.empty()) {
    absl::StatusOr<std::unique_ptr<Notifying>> notifying = Notifying::Start(
        store, options.notify_file, *forges, ProcessName(), is_stopping, observer.on_report);
    if (!notifying.ok()) return notifying.status();
    reporting->notifying_ = *std::move(notifying);
  }
  if (!options.hook_listen.empty()) {
    absl::StatusOr<std::unique_ptr<HookListener>> hooks =
        StartHooks(store.reports, options, observer);
    if (!hooks.ok()) return hooks.status();
    reporting->hooks_ = *std::move(hooks);
  }
  if (!forges->empty()) {
    for (int i = 0; i < kWorkers; ++i) {
      reporting->workers_.push_back(std::make_unique<reporter::ReportWorker>(
          store.reports, store.reading, store.blobs, store.gate, *forges,
          Options(options.page_url, i, observer)));
    }
    for (const auto& worker : reporting->workers_) {
      reporting->threads_.emplace_back([worker = worker.get()] { worker->Run(); });
    }
  }
  return reporting;
}

void Reporting::Wake() {
  for (const auto& worker : workers_) worker->Wake();
  if (notifying_ != nullptr) notifying_->Wake();
}

absl::Status Reporting::CheckAlive() const {
  absl::Duration busy = absl::ZeroDuration();
  for (const auto& worker : workers_) busy = std::max(busy, worker->BusyFor());
  if (notifying_ != nullptr) busy = std::max(busy, notifying_->BusyFor());
  if (busy <= kLongestJob) return absl::OkStatus();
  return absl::DeadlineExceededError(absl::StrCat("a report takes ", absl::FormatDuration(busy)));
}

Reporting::~Reporting() {
  hooks_.reset();
  for (const auto& worker : workers_) worker->Stop();
  stopping_.Notify();
  notifying_.reset();
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace gprofhub::cli
