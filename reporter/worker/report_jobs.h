// What all workers on report jobs share: claim one, do it, say how it ended.
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

// An attempt at a report, or at a message to a channel, that is over.
struct EndedReport {
  // Of a report: "posted", "silent" (there was nothing to say), "superseded", "looked" (for changes
  // of a branch), "waiting" (for a rerun), "none" (it is not wanted). Of a message: "told",
  // "nothing" (to tell), "waiting" (quiet hours). Of both: "again" (it failed, and is tried again),
  // "failed" (it was given up).
  absl::string_view outcome;
  absl::string_view channel;  // empty: it is a report
};

struct ReportWorkerOptions {
  std::string name;  // unique among the workers of the store
  // After this time a worker that died is found out. A report takes a few requests, each of a
  // minute at most.
  absl::Duration lease = absl::Minutes(10);
  // How often an idle worker looks for reports that nobody woke it for: what became due with time,
  // or in another process.
  absl::Duration poll = absl::Seconds(1);
  // The wait after an attempt that failed at the forge or at the store. It doubles up to the second
  // value. The forge's own word on when to come back goes before.
  absl::Duration min_backoff = absl::Seconds(30);
  absl::Duration max_backoff = absl::Minutes(10);
  // A forge that is down for longer is not waited for.
  absl::Duration give_up_after = absl::Hours(24);
  // How often comments are read for commands after a failed check, and how long.
  absl::Duration watch_every = absl::Minutes(1);
  absl::Duration watch_for = absl::Hours(24 * 14);
  // How long after a report that only offers a rerun.
  absl::Duration watch_reruns_for = absl::Hours(24);
  // How long a report that something may alarm waits for a run that was announced (RunInfo.rerun),
  // and how often it looks.
  absl::Duration rerun_wait = absl::Minutes(30);
  absl::Duration rerun_poll = absl::Minutes(1);
  // Where people read a whole report: an address in which "{project}" and "{run}" are replaced.
  // Empty: there is no such page.
  std::string page_url;
  // Where the pages are that show pictures for comments, "https://host", and the key that both sign
  // with (reporter/posting/picture_link.h). Empty: comments have no pictures.
  std::string picture_host;
  std::string picture_key;
  // What decoding the profiles may take; outlives the worker. Null: there is no bound.
  base::DecodingBudget* decoding = nullptr;
  std::function<absl::Time()> now = absl::Now;
  // Is told of each attempt; must not block.
  std::function<void(const EndedReport&)> on_ended = [](const EndedReport&) {};
};

// The wait before the next attempt after `attempts` that failed with `error`.
absl::Duration BackoffAfter(const ReportWorkerOptions& options, uint32_t attempts,
                            const absl::Status& error);

// A report that is done.
store::ReportOutcome ReportDone(absl::string_view note);

// Claims one job of the kind and does it. False if none is due. Errors are the store's. An error of
// `report` is tried again later, unless it is INVALID_ARGUMENT or NOT_FOUND, or too old.
absl::StatusOr<bool> DoReportJob(
    const store::ReportQueue& reports, store::ReportKind kind, const ReportWorkerOptions& options,
    const std::function<absl::StatusOr<store::ReportOutcome>(const store::ReportJob&)>& report);

}  // namespace gprofhub::reporter
