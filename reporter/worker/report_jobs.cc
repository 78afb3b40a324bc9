#include "reporter/worker/report_jobs.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/decoding/budget.h"
#include "base/logs/log_fields.h"
#include "reporter/forge/http/retry.h"

namespace gprofhub::reporter {

absl::Duration BackoffAfter(const ReportWorkerOptions& options, uint32_t attempts,
                            const absl::Status& error) {
  const absl::Duration wait =
      options.min_backoff * (1 << std::min(std::max(attempts, 1u) - 1, 10u));
  return std::max(std::min(wait, options.max_backoff),
                  RetryAfterOf(error).value_or(absl::ZeroDuration()));
}

store::ReportOutcome ReportDone(absl::string_view note) {
  return {store::ReportOutcome::Kind::kDone, std::string(note), absl::InfinitePast()};
}

absl::StatusOr<bool> DoReportJob(
    const store::ReportQueue& reports, store::ReportKind kind, const ReportWorkerOptions& options,
    const std::function<absl::StatusOr<store::ReportOutcome>(const store::ReportJob&)>& report) {
  const absl::StatusOr<std::optional<store::ReportJob>> claimed =
      reports.Claim(kind, options.name, options.now(), options.lease);
  if (!claimed.ok()) return claimed.status();
  if (!claimed->has_value()) return false;
  const store::ReportJob& job = **claimed;
  const base::LogFields fields{{"request", job.request}, {"run", absl::StrCat(job.run_id)}};
  absl::StatusOr<store::ReportOutcome> outcome = report(job);
  const absl::Time now = options.now();
  if (!outcome.ok()) {
    const bool final = absl::IsInvalidArgument(outcome.status()) ||
                       absl::IsNotFound(outcome.status()) ||
                       now - job.queued >= options.give_up_after;
    // A worker that stops releases the job for another one immediately.
    const absl::Duration wait = absl::IsCancelled(outcome.status())
                                    ? absl::ZeroDuration()
                                    : BackoffAfter(options, job.attempts, outcome.status());
    const std::string why(outcome.status().message());
    spdlog::warn("reporter {}: report on run {}: {}; {}", options.name, job.run_id, why,
                 final ? "given up" : absl::StrCat("again in ", absl::FormatDuration(wait)));
    options.on_ended({final ? "failed" : "again", ""});
    outcome = store::ReportOutcome{
        final ? store::ReportOutcome::Kind::kFailed : store::ReportOutcome::Kind::kAgain, why,
        now + wait};
  }
  absl::Status finished = reports.Finish(job, *outcome, now);
  // The lease expired and another worker has the job. Doing it twice is harmless.
  if (absl::IsFailedPrecondition(finished)) return true;
  if (!finished.ok()) return finished;
  return true;
}

}  // namespace gprofhub::reporter
