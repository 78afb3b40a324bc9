#include "analyzer/worker/worker.h"

#include <spdlog/spdlog.h>

#include <new>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/worker/analyze_target.h"
#include "analyzer/worker/lease_keeper.h"
#include "base/logs/log_fields.h"

namespace gprofhub::analyzer {
namespace {

// Whether the same analysis may succeed later. An error of the data comes again each time.
bool IsTransient(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kCancelled:
      return true;
    default:
      return false;
  }
}

// The analysis, with a status in the place of an exception. Memory may be short for a hostile
// or huge profile: that must cost the job, not the server.
absl::StatusOr<store::AnalysisResult> AnalyzeWithinMemory(const store::Reading& reading,
                                                          const store::Blobs& blobs,
                                                          const store::Job& job,
                                                          const std::function<bool()>& stopping) {
  try {
    return AnalyzeTarget(reading, blobs, job, stopping);
  } catch (const std::bad_alloc&) {
    return absl::InternalError("the analysis needs more memory than there is");
  }
}

// As EndedAnalysis has it, from what the analysis and Settle gave.
absl::string_view OutcomeOf(const absl::Status& analysis, const absl::Status& settled) {
  if (absl::IsFailedPrecondition(settled)) return "lost";
  if (!settled.ok()) return "again";
  return analysis.ok() ? "done" : "failed";
}

}  // namespace

Worker::Worker(store::JobQueue jobs, store::Reading reading, store::Blobs blobs,
               WorkerOptions options)
    : jobs_(std::move(jobs)),
      reading_(std::move(reading)),
      blobs_(std::move(blobs)),
      options_(std::move(options)),
      loop_({options_.poll, options_.min_backoff, options_.max_backoff}) {}

void Worker::Run() {
  loop_.Run([this] { return RunOnce(); },
            [this](const absl::Status& error, absl::Duration wait) {
              spdlog::error("worker {}: {}; next try in {}", options_.name, error.ToString(),
                            absl::FormatDuration(wait));
            });
}

void Worker::Stop() { loop_.Stop(); }

void Worker::Wake() { loop_.Wake(); }

absl::StatusOr<bool> Worker::RunOnce() {
  const absl::StatusOr<std::optional<store::Job>> claimed =
      jobs_.Claim(options_.name, options_.now(), options_.lease, options_.max_attempts);
  if (!claimed.ok()) return claimed.status();
  if (!claimed->has_value()) return false;
  const store::Job& job = **claimed;
  const base::LogFields fields{{"request", job.request}, {"run", absl::StrCat(job.run_id)}};
  const absl::Time begun = options_.now();

  absl::StatusOr<store::AnalysisResult> result = absl::UnknownError("not analysed");
  {
    LeaseKeeper lease(jobs_, job, options_.lease, options_.heartbeat, options_.now);
    result = AnalyzeWithinMemory(reading_, blobs_, job,
                                 [&] { return loop_.Stopping() || lease.Lost(); });
  }
  const absl::Status status = Settle(job, result);
  options_.on_ended({OutcomeOf(result.status(), status), options_.now() - begun});
  if (absl::IsFailedPrecondition(status)) {
    // Another worker has the job by now and does the same; nothing is lost.
    spdlog::warn("worker {}: {} in run {} was taken over: {}", options_.name, job.target,
                 job.run_id, status.ToString());
    return true;
  }
  if (!status.ok()) return status;
  return true;
}

absl::Status Worker::Settle(const store::Job& job,
                            const absl::StatusOr<store::AnalysisResult>& result) {
  absl::Status status = result.status();
  if (status.ok()) status = jobs_.Complete(job, *result, options_.now());
  if (status.ok()) {
    spdlog::info("worker {}: analysed {} in run {}", options_.name, job.target, job.run_id);
    return status;
  }
  if (absl::IsFailedPrecondition(status)) return status;
  const bool retry = IsTransient(status);
  if (!retry) {
    spdlog::error("worker {}: {} in run {} cannot be analysed: {}", options_.name, job.target,
                  job.run_id, status.ToString());
  }
  const absl::Status failed = jobs_.Fail(job, status.message(), retry, options_.now());
  if (!failed.ok()) return failed;
  return retry ? status : absl::OkStatus();
}

}  // namespace gprofhub::analyzer
