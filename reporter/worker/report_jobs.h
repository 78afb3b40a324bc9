// Common parts of workers on report jobs: claim, execute, report the outcome.
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/decoding/budget.h"
#include "store/report_queue.h"

namespace gprofhub::reporter {

// A finished attempt at a report, or at a message to a channel.
struct EndedReport {
  // Of a report: "posted", "silent" (nothing to report), "superseded", "looked" (changes of a
  // branch), "waiting" (for a rerun), "none" (not wanted). Of a message: "told" (sent), "nothing"
  // (to send), "waiting" (quiet hours). Of both: "again" (failed, will be retried), "failed" (given
  // up).
  absl::string_view outcome;
  absl::string_view channel;  // empty: a report
};

struct ReportWorkerOptions {
  std::string name;  // unique among the workers of the store
  // Time after which another worker may take over the job of a dead one. A report takes a few
  // requests, each of a minute at most.
  absl::Duration lease = absl::Minutes(10);
  // Polling interval of an idle worker, for jobs without a Wake: due by time, or queued by another
  // process.
  absl::Duration poll = absl::Seconds(1);
  // The wait after an attempt that failed at the forge or at the store. It doubles up to the second
  // value. The forge's own RetryAfterOf has precedence.
  absl::Duration min_backoff = absl::Seconds(30);
  absl::Duration max_backoff = absl::Minutes(10);
  // Jobs are given up if they fail for longer.
  absl::Duration give_up_after = absl::Hours(24);
  // Interval and duration of reading comments for commands after a failed check.
  absl::Duration watch_every = absl::Minutes(1);
  absl::Duration watch_for = absl::Hours(24 * 14);
  // Duration of reading comments after a report that only offers a rerun.
  absl::Duration watch_reruns_for = absl::Hours(24);
  // How long a report with a possible alarm waits for an announced rerun (RunInfo.rerun), and its
  // polling interval.
  absl::Duration rerun_wait = absl::Minutes(30);
  absl::Duration rerun_poll = absl::Minutes(1);
  // Address of the full report, with the placeholders "{project}" and "{run}". Empty: no such page.
  std::string page_url;
  // Origin of the server that shows pictures for comments, "https://host", and the common signing
  // key (reporter/posting/picture_link.h). Empty: comments have no pictures.
  std::string picture_host;
  std::string picture_key;
  // Memory limit for decoding profiles; outlives the worker. Null: no limit.
  base::DecodingBudget* decoding = nullptr;
  std::function<absl::Time()> now = absl::Now;
  // Called after each attempt; must not block.
  std::function<void(const EndedReport&)> on_ended = [](const EndedReport&) {};
};

// The wait before the next attempt after `attempts` failures, the last with `error`.
absl::Duration BackoffAfter(const ReportWorkerOptions& options, uint32_t attempts,
                            const absl::Status& error);

// Outcome of a finished report.
store::ReportOutcome ReportDone(absl::string_view note);

// Claims and executes one job of the kind. False if none is due. Errors are the store's. An error
// of `report` is retried later, unless it is INVALID_ARGUMENT or NOT_FOUND, or too old.
absl::StatusOr<bool> DoReportJob(
    const store::ReportQueue& reports, store::ReportKind kind, const ReportWorkerOptions& options,
    const std::function<absl::StatusOr<store::ReportOutcome>(const store::ReportJob&)>& report);

}  // namespace gprofhub::reporter
