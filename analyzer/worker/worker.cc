#include "analyzer/worker/worker.h"

#include <spdlog/spdlog.h>

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "analyzer/worker/lease_keeper.h"
#include "analyzer/worker/pack_points.h"
#include "base/logs/log_fields.h"
#include "base/public_message.h"

namespace gprofhub::analyzer {
namespace {

// Whether the same analysis may succeed later. An error of the data is permanent.
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

// An error of the store. A temporary disk error or a broken connection does not concern the job.
// Missing or damaged data is permanent.
absl::Status OfStore(const absl::Status& status) {
  if (status.code() != absl::StatusCode::kInternal && status.code() != absl::StatusCode::kUnknown) {
    return status;
  }
  absl::Status passing = absl::UnavailableError(status.message());
  status.ForEachPayload([&passing](absl::string_view type, const absl::Cord& payload) {
    passing.SetPayload(type, payload);
  });
  return passing;
}

// EndedAnalysis's outcome, from the results of the analysis and of Settle.
absl::string_view OutcomeOf(const absl::Status& analysis, const absl::Status& settled) {
  if (absl::IsFailedPrecondition(settled)) return "lost";
  if (!settled.ok()) return "again";
  return analysis.ok() ? "done" : "failed";
}

}  // namespace

Worker::Worker(store::JobQueue jobs, store::Reading reading, store::Blobs blobs, Analyze analyze,
               WorkerOptions options)
    : jobs_(std::move(jobs)),
      reading_(std::move(reading)),
      blobs_(std::move(blobs)),
      analyze_(std::move(analyze)),
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

absl::StatusOr<store::AnalysisResult> Worker::AnalyzeJob(
    const store::Job& job, const std::function<bool()>& stopping) const {
  const absl::StatusOr<store::RunRecord> run = reading_.ReadRun(job.run_id);
  if (!run.ok()) return OfStore(run.status());
  absl::StatusOr<store::TargetData> data = reading_.ReadTargetData(job.run_id, job.target);
  if (!data.ok()) return OfStore(data.status());
  const AnalysisInput input = {job.run_id, job.target, run->profile_kind, *std::move(data)};
  const auto read = [this](const store::BlobName& name) {
    absl::StatusOr<std::string> bytes = blobs_.Read(name);
    return bytes.ok() ? bytes : OfStore(bytes.status());
  };
  return analyze_(input, read, stopping);
}

absl::StatusOr<bool> Worker::RunOnce() {
  if (options_.prepare) {
    absl::Status status = options_.prepare([this] { return loop_.Stopping(); });
    if (!status.ok()) return status;
  }
  const absl::StatusOr<std::optional<store::Job>> claimed = jobs_.Claim(
      options_.name, options_.now(), options_.lease, options_.max_attempts, options_.quiet);
  if (!claimed.ok()) return claimed.status();
  if (!claimed->has_value()) return false;
  const store::Job& job = **claimed;
  const base::LogFields fields{{"request", job.request}, {"run", absl::StrCat(job.run_id)}};
  const absl::Time begun = options_.now();

  absl::StatusOr<store::AnalysisResult> result = absl::UnknownError("not analysed");
  {
    LeaseKeeper lease(jobs_, job, options_.lease, options_.heartbeat, options_.now);
    result = AnalyzeJob(job, [&] { return loop_.Stopping() || lease.Lost(); });
  }
  const absl::Status status = Settle(job, result);
  options_.on_ended({OutcomeOf(result.status(), status), options_.now() - begun});
  if (absl::IsFailedPrecondition(status)) {
    // Another worker has taken over the job and does the same; nothing is lost.
    spdlog::warn("worker {}: {} in run {} was taken over: {}", options_.name, job.target,
                 job.run_id, status.ToString());
    return true;
  }
  if (!status.ok()) return status;
  return true;
}

void Worker::SealPoints(const store::Job& job) const {
  absl::StatusOr<bool> sealed = jobs_.SealPoints(job, options_.seal_at, PackPoints);
  if (sealed.ok() && *sealed) sealed = jobs_.MergeSeals(job, options_.merge_at, MergePoints);
  if (!sealed.ok()) {
    spdlog::error("worker {}: the points of {} cannot be packed: {}", options_.name, job.target,
                  sealed.status().ToString());
  }
}

absl::Status Worker::Settle(const store::Job& job,
                            const absl::StatusOr<store::AnalysisResult>& result) {
  const bool broke_down = absl::IsAborted(result.status());
  absl::Status status = result.status();
  if (status.ok()) status = OfStore(jobs_.Complete(job, *result, options_.now()));
  if (status.ok()) {
    spdlog::info("worker {}: analysed {} in run {}", options_.name, job.target, job.run_id);
    SealPoints(job);
    return status;
  }
  if (absl::IsFailedPrecondition(status)) return status;
  const bool retry = broke_down ? job.attempts < options_.max_breakdowns : IsTransient(status);
  // The row is shown to clients.
  std::string why = base::PublicMessageOf(status);
  if (broke_down && !retry) {
    why = absl::StrCat("set aside after ", job.attempts, " attempts; the last one: ", why);
  }
  if (broke_down || !retry) {
    spdlog::error("worker {}: {} in run {} cannot be analysed{}: {}", options_.name, job.target,
                  job.run_id, retry ? " now" : "", status.ToString());
  }
  using Ending = store::JobQueue::Ending;
  const Ending ending = !retry       ? Ending::kFailed
                        : broke_down ? Ending::kAgain
                                     : Ending::kNotCounted;
  const absl::Status failed = jobs_.Fail(job, why, ending, options_.now());
  if (!failed.ok()) return failed;
  // A job whose analysis crashes must not delay the queue's other jobs.
  return retry && !broke_down ? status : absl::OkStatus();
}

}  // namespace gprofhub::analyzer
