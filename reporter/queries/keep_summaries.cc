#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_budget.h"
#include "base/status_macros.h"
#include "profile/codec/series.h"
#include "profile/codec/summaries.h"
#include "reporter/history/trend.h"
#include "reporter/queries/changes.h"
#include "reporter/queries/runs.h"
#include "reporter/queries/trends.h"
#include "store/reading.h"
#include "store/records/records.h"
#include "store/records/summaries.h"

namespace gprofhub::reporter {

namespace {

constexpr uint32_t kSpansAtOnce = 16;
// Rows per transaction: a transaction blocks others for a few milliseconds.
constexpr size_t kRowsAtOnce = 500;

// By function hash: the function at each run.
using FunctionsAtRuns = std::map<uint64_t, std::vector<FunctionAtRun>>;

// Summarisation of one span in progress.
class SpanWork {
 public:
  SpanWork(const store::Reading& reading, const store::Summaries& summaries,
           const SummaryOptions& options, const store::DueSpan& due)
      : reading_(reading), summaries_(summaries), options_(options), due_(due) {}

  // Returns whether the summary is used from now on.
  absl::StatusOr<bool> Make() {
    ASSIGN_OR_RETURN(store::OpenedSpan opened, summaries_.Open(due_));
    opened_ = std::move(opened);
    ASSIGN_OR_RETURN(std::vector<store::RunHead> heads,
                     reading_.ListSpanRuns(due_.branch, due_.span));
    heads_ = std::move(heads);
    if (heads_.empty()) return false;
    wanted_.emplace(heads_);
    absl::Status status = AddTargets();
    if (status.ok()) status = Flush(/*least=*/1);
    if (absl::IsFailedPrecondition(status)) return false;  // one of its runs changed
    if (!status.ok()) return status;
    return summaries_.Close(due_, opened_);
  }

 private:
  absl::Status AddTargets() {
    ASSIGN_OR_RETURN(const std::vector<std::string> labels, summaries_.TargetsOf(due_.branch));
    for (uint32_t bucket = 0; bucket < profile::kSeriesBuckets; ++bucket) {
      FunctionsAtRuns all;
      std::vector<bool> any_analysed(heads_.size(), false);
      for (size_t i = 0; i < labels.size(); ++i) {
        RETURN_IF_ERROR(
            AddTarget(bucket, static_cast<int64_t>(i) + 1, labels[i], all, any_analysed));
      }
      RETURN_IF_ERROR(AddRows(bucket, {0, "", ""}, any_analysed, all));
    }
    return absl::OkStatus();
  }

  // Adds a bucket of one target, also to the sum over all targets.
  absl::Status AddTarget(uint32_t bucket, int64_t number, const std::string& label,
                         FunctionsAtRuns& all, std::vector<bool>& any_analysed) {
    store::PointQuery query;
    query.project = due_.branch.project;
    query.branches = {due_.branch.branch};
    query.target = label;
    query.bucket = bucket;
    query.first_run_id = wanted_->first_id();
    query.last_run_id = wanted_->last_id();
    ASSIGN_OR_RETURN(const std::vector<store::LinePoints> lines, reading_.ReadPoints(query));
    FunctionsAtRuns functions;
    std::vector<bool> analysed(heads_.size(), false);
    for (const store::LinePoints& line : lines) {
      ASSIGN_OR_RETURN(const auto segments, SegmentsOf(line, *wanted_, base::Decoding()));
      for (size_t i = 0; i < heads_.size(); ++i) {
        const auto found = segments.find(heads_[i].id);
        if (found == segments.end()) continue;
        analysed[i] = any_analysed[i] = true;
        for (const profile::SeriesPoint& point : found->second.points) {
          AddPointOf(found->second, point, i, functions);
          AddPointOf(found->second, point, i, all);
        }
      }
    }
    return AddRows(bucket, {number, label, ""}, analysed, functions);
  }

  void AddPointOf(const profile::SeriesSegment& segment, const profile::SeriesPoint& point,
                  size_t run, FunctionsAtRuns& functions) const {
    std::vector<FunctionAtRun>& sums = functions[point.function_hash];
    sums.resize(heads_.size());
    AddPoint(segment.sample_rate, segment.repetitions, point, sums[run]);
  }

  absl::Status AddRows(uint32_t bucket, store::TargetSummary target,
                       const std::vector<bool>& analysed, const FunctionsAtRuns& functions) {
    const SpanDays days = DaysOf(heads_, analysed, store::StartOfSpan(due_.span));
    if (days.days.empty()) return absl::OkStatus();
    for (const auto& [hash, sums] : functions) {
      rows_.push_back(
          {target.number,
           {static_cast<int64_t>(hash), profile::EncodeDayPoints(PointsOfDays(days, sums))}});
    }
    // An analysed run has a segment in each bucket.
    if (bucket == 0) {
      target.days = profile::EncodeSummaryDays(days.days);
      targets_.push_back(std::move(target));
    }
    return Flush(kRowsAtOnce);
  }

  // Writes the collected rows, if there are at least `least`.
  absl::Status Flush(size_t least) {
    if (rows_.size() + targets_.size() < least) return absl::OkStatus();
    absl::Status status = summaries_.Add(opened_, targets_, rows_);
    targets_.clear();
    rows_.clear();
    if (!status.ok()) return status;
    return options_.pause();
  }

  const store::Reading& reading_;
  const store::Summaries& summaries_;
  const SummaryOptions& options_;
  const store::DueSpan& due_;
  store::OpenedSpan opened_;
  std::vector<store::RunHead> heads_;
  std::optional<WantedRuns> wanted_;  // the same runs, for lookup
  std::vector<store::TargetSummary> targets_;
  std::vector<store::SummaryRow> rows_;
};

}  // namespace

absl::StatusOr<uint64_t> KeepSummaries(const store::Reading& reading,
                                       const store::Summaries& summaries,
                                       const SummaryOptions& options) {
  uint64_t made = 0;
  while (true) {
    ASSIGN_OR_RETURN(const std::vector<store::DueSpan> due,
                     summaries.FindDue(options.now(), options.least_runs, kSpansAtOnce));
    const uint64_t before = made;
    for (const store::DueSpan& span : due) {
      ASSIGN_OR_RETURN(const bool is_made, SpanWork(reading, summaries, options, span).Make());
      if (is_made) ++made;
      RETURN_IF_ERROR(options.pause());
    }
    // Runs that change continuously are skipped.
    if (due.size() < kSpansAtOnce || made == before) return made;
  }
}

}  // namespace gprofhub::reporter
