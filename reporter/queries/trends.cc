#include "reporter/queries/trends.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/memory_budget.h"
#include "base/parallel.h"
#include "base/status_macros.h"
#include "profile/codec/series.h"
#include "profile/codec/summaries.h"
#include "profile/computed.h"
#include "proto/query.pb.h"
#include "reporter/history/trend.h"
#include "reporter/queries/changes.h"
#include "reporter/queries/runs.h"
#include "store/reading.h"
#include "store/records/records.h"
#include "store/records/summaries.h"

namespace gprofhub::reporter {

namespace {

// Sums one function's points over lines (targets on branches), by run.

class FunctionSums {
 public:
  // Keeps references to its arguments. `sums` has an entry for each index of a wanted run.
  FunctionSums(const absl::flat_hash_set<uint64_t>& hashes, const WantedRuns& wanted,
               const base::Decoding& decoding, std::vector<FunctionAtRun>& sums);

  // Adds a line. Memory for decoding is reserved from `decoding`, whose errors are passed on. In a
  // sealed segment, only the function's points are decoded.
  absl::Status Add(const store::LinePoints& line);

 private:
  // The runs of a sealed segment.
  struct SealedRuns {
    std::vector<profile::ChunkRun> runs;
    std::vector<size_t> wanted;  // by run: index among the wanted ones, or kNone
  };

  absl::Status AddOpen(const std::vector<store::RunPoints>& open, std::vector<bool>& told);
  absl::Status AddSealed(const store::PackedPoints& sealed, std::vector<bool>& told);
  absl::StatusOr<const SealedRuns*> RunsOf(const std::string& bytes);

  const absl::flat_hash_set<uint64_t>& hashes_;
  const std::vector<uint64_t> hash_list_;
  const WantedRuns& wanted_;
  const base::Decoding& decoding_;
  base::GrowingMemory memory_;
  std::vector<FunctionAtRun>& sums_;
  // Keyed by their bytes. Most runs have the same targets, so that their sealed segments have the
  // same runs.
  absl::flat_hash_map<std::string, SealedRuns> runs_;
  uint64_t bytes_ = 0;  // of runs_
};

FunctionSums::FunctionSums(const absl::flat_hash_set<uint64_t>& hashes, const WantedRuns& wanted,
                           const base::Decoding& decoding, std::vector<FunctionAtRun>& sums)
    : hashes_(hashes),
      hash_list_(hashes.begin(), hashes.end()),
      wanted_(wanted),
      decoding_(decoding),
      memory_(decoding),
      sums_(sums) {}

absl::Status FunctionSums::Add(const store::LinePoints& line) {
  std::vector<bool> told(wanted_.size(), false);
  absl::Status status = AddOpen(line.open, told);
  for (const store::PackedPoints& sealed : line.sealed) {
    if (!status.ok()) return status;
    status = AddSealed(sealed, told);
  }
  return status;
}

absl::Status FunctionSums::AddOpen(const std::vector<store::RunPoints>& open,
                                   std::vector<bool>& told) {
  WantedRuns::Finder finder(wanted_);
  for (const store::RunPoints& points : open) {
    const size_t index = finder.Find(points.run_id);
    if (index == WantedRuns::kNone) continue;
    ASSIGN_OR_RETURN(const profile::SeriesSegment segment,
                     profile::DecodeSeriesOf(points.payload, hash_list_));
    told[index] = true;
    FunctionAtRun& sum = sums_[wanted_.place(index)];
    sum.analysed = true;
    for (const profile::SeriesPoint& point : segment.points) {
      AddPoint(segment.sample_rate, segment.repetitions, point, sum);
    }
  }
  return absl::OkStatus();
}

absl::Status FunctionSums::AddSealed(const store::PackedPoints& sealed, std::vector<bool>& told) {
  ASSIGN_OR_RETURN(const SealedRuns* found, RunsOf(sealed.runs));
  const SealedRuns& of = *found;
  for (const store::FunctionPoints& function : sealed.functions) {
    const auto hash = static_cast<uint64_t>(function.function_hash);
    if (!hashes_.contains(hash)) continue;
    RETURN_IF_ERROR(decoding_.Take(kDecodedPerRun * of.runs.size()).status());
    ASSIGN_OR_RETURN(const std::vector<profile::ChunkPoint> points,
                     profile::DecodeFunctionColumns(hash, function.payload, of.runs.size()));
    for (const auto& [run, point] : points) {
      const size_t index = of.wanted[run];
      if (index == WantedRuns::kNone || told[index]) continue;
      AddPoint(of.runs[run].sample_rate, of.runs[run].repetitions, point,
               sums_[wanted_.place(index)]);
    }
  }
  for (const size_t index : of.wanted) {
    if (index == WantedRuns::kNone) continue;
    told[index] = true;
    sums_[wanted_.place(index)].analysed = true;
  }
  return absl::OkStatus();
}

absl::StatusOr<const FunctionSums::SealedRuns*> FunctionSums::RunsOf(const std::string& bytes) {
  const auto known = runs_.find(bytes);
  if (known != runs_.end()) return &known->second;
  ASSIGN_OR_RETURN(std::vector<profile::ChunkRun> runs, profile::DecodeChunkRuns(bytes));
  bytes_ += bytes.size() + runs.size() * (sizeof(profile::ChunkRun) + sizeof(size_t));
  RETURN_IF_ERROR(memory_.GrowTo(bytes_));
  SealedRuns sealed = {std::move(runs), {}};
  WantedRuns::Finder finder(wanted_);
  for (const profile::ChunkRun& run : sealed.runs) {
    sealed.wanted.push_back(finder.Find(run.run_id));
  }
  return &runs_.emplace(bytes, std::move(sealed)).first->second;
}

// Sums one function over the targets of runs.

// Runs of a project.
struct SummedRuns {
  std::string project;
  std::string target;  // one of their targets; empty: all
  const std::vector<store::RunHead>& runs;
};

// Fewer points are decoded before another thread has begun.
constexpr size_t kPointsWorthAThread = 20'000;

// Adds the points of these lines, half of the lines in another thread if there are many.
absl::Status AddLines(absl::Span<const store::LinePoints> lines,
                      const absl::flat_hash_set<uint64_t>& hashes, const WantedRuns& wanted,
                      const base::Decoding& decoding, std::vector<FunctionAtRun>& sums) {
  const auto add = [&](absl::Span<const store::LinePoints> half,
                       std::vector<FunctionAtRun>& to) -> absl::Status {
    FunctionSums added(hashes, wanted, decoding, to);
    for (const store::LinePoints& line : half) RETURN_IF_ERROR(added.Add(line));
    return absl::OkStatus();
  };
  ASSIGN_OR_RETURN(const base::Reservation memory,
                   decoding.Take(sums.size() * sizeof(FunctionAtRun)));
  std::vector<FunctionAtRun> in_second_half(sums.size());
  absl::Status status, of_second_half;
  const bool many = lines.size() * sums.size() >= kPointsWorthAThread;
  base::ForBothHalves(lines.size(), many ? 2 : lines.size() + 1, [&](size_t begin, size_t end) {
    const absl::Span<const store::LinePoints> half = lines.subspan(begin, end - begin);
    if (begin == 0) {
      status = add(half, sums);
    } else {
      of_second_half = add(half, in_second_half);
    }
  });
  status.Update(of_second_half);
  for (size_t i = 0; i < sums.size(); ++i) AddSums(in_second_half[i], sums[i]);
  return status;
}

// One entry per run. Memory is reserved from `decoding`, whose errors are passed on.
absl::StatusOr<std::vector<FunctionAtRun>> SumsOf(const store::Reading& reading,
                                                  const base::Decoding& decoding,
                                                  const SummedRuns& summed,
                                                  const SeriesIdentity& function) {
  const std::vector<store::RunHead>& runs = summed.runs;
  std::vector<FunctionAtRun> sums(runs.size());
  if (runs.empty()) return sums;
  absl::flat_hash_set<absl::string_view> branches;
  for (const store::RunHead& run : runs) branches.insert(run.branch);
  const WantedRuns wanted(runs);
  store::PointQuery query;
  query.project = summed.project;
  query.target = summed.target;
  query.first_run_id = wanted.first_id();
  query.last_run_id = wanted.last_id();
  for (const absl::string_view branch : branches) query.branches.emplace_back(branch);
  std::map<uint32_t, absl::flat_hash_set<uint64_t>> buckets;
  for (const uint64_t hash : function.hashes) buckets[profile::SeriesBucket(hash)].insert(hash);
  for (const auto& [bucket, hashes] : buckets) {
    query.bucket = bucket;
    query.functions.assign(hashes.begin(), hashes.end());
    const base::DecodingScope scope(decoding);
    ASSIGN_OR_RETURN(const std::vector<store::LinePoints> lines,
                     ReadLines(reading, query, decoding));
    RETURN_IF_ERROR(AddLines(lines, hashes, wanted, decoding, sums));
  }
  return sums;
}

// Resolves the function of a trend request.

// The function whose linkage name is the request's text, if it is not static. No profile is read
// for it.
SeriesIdentity NamedFunction(const v1::GetTrendRequest& request);

// Whether one of the newest analysed runs has the function. `sums` come newest first.
bool IsInNewestRuns(const std::vector<FunctionAtRun>& sums);

// The function that the request names, in the newest analysed runs. `runs` come newest first.
// Errors are those of ResolveFunction; NOT_FOUND also if no run is analysed yet.
absl::StatusOr<SeriesIdentity> FindFunction(const store::Reading& reading, const BlobReader& blobs,
                                            const std::vector<store::RunHead>& runs,
                                            const v1::GetTrendRequest& request,
                                            QueryMemory* memory);

// A static function's series changes its hash when its file moves: adds the hash in the oldest
// analysed run of `runs`.
absl::Status AddOldestHashes(const store::Reading& reading, const BlobReader& blobs,
                             const std::vector<store::RunHead>& runs,
                             const v1::GetTrendRequest& request, SeriesIdentity& function,
                             QueryMemory* memory);

// Number of runs to search, since the newest run may lack the function.
constexpr size_t kRunsToResolveIn = 5;

// The analysed profiles of one run: of the named target, or of all.
absl::StatusOr<std::vector<profile::ComputedProfile>> ProfilesOf(const store::Reading& reading,
                                                                 const BlobReader& blobs,
                                                                 const store::RunHead& run,
                                                                 absl::string_view target,
                                                                 QueryMemory* memory) {
  ASSIGN_OR_RETURN(std::vector<store::TargetRecord> targets, reading.ListTargets(run.id));
  ASSIGN_OR_RETURN(auto profiles, ReadProfiles(blobs, targets, target, memory));
  std::vector<profile::ComputedProfile> list;
  for (auto& [label, profile] : profiles) list.push_back(std::move(profile));
  return list;
}

SeriesIdentity NamedFunction(const v1::GetTrendRequest& request) {
  return {request.function(), {profile::FunctionHash(request.function(), "")}};
}

bool IsInNewestRuns(const std::vector<FunctionAtRun>& sums) {
  size_t looked_at = 0;
  for (const FunctionAtRun& sum : sums) {
    if (sum.present) return true;
    if (sum.analysed && ++looked_at == kRunsToResolveIn) break;
  }
  return false;
}

absl::StatusOr<SeriesIdentity> FindFunction(const store::Reading& reading, const BlobReader& blobs,
                                            const std::vector<store::RunHead>& runs,
                                            const v1::GetTrendRequest& request,
                                            QueryMemory* memory) {
  absl::StatusOr<SeriesIdentity> function =
      absl::NotFoundError(absl::StrCat("project \"", request.project(),
                                       "\" has no analysed run of this branch and target yet; "
                                       "runs of sampled profiles have no trend"));
  size_t tried = 0;
  for (const store::RunHead& run : runs) {
    const base::DecodingScope scope(blobs.decoding());
    ASSIGN_OR_RETURN(const std::vector<profile::ComputedProfile> profiles,
                     ProfilesOf(reading, blobs, run, request.target(), memory));
    if (profiles.empty()) continue;
    function = ResolveFunction(profiles, request.function());
    if (!absl::IsNotFound(function.status()) || ++tried == kRunsToResolveIn) break;
  }
  return function;
}

absl::Status AddOldestHashes(const store::Reading& reading, const BlobReader& blobs,
                             const std::vector<store::RunHead>& runs,
                             const v1::GetTrendRequest& request, SeriesIdentity& function,
                             QueryMemory* memory) {
  const uint64_t of_no_file = profile::FunctionHash(function.function, "");
  if (function.hashes.size() == 1 && function.hashes.contains(of_no_file)) return absl::OkStatus();
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    const base::DecodingScope scope(blobs.decoding());
    ASSIGN_OR_RETURN(const std::vector<profile::ComputedProfile> profiles,
                     ProfilesOf(reading, blobs, *run, request.target(), memory));
    if (profiles.empty()) continue;
    for (const profile::ComputedProfile& profile : profiles) AddHashes(profile, function);
    break;
  }
  return absl::OkStatus();
}

// A trend by days or weeks.
//
// Summarised spans (store/records/summaries.h) are read as days. Others, and those in which a
// static function had two files, are read as runs: the result is the same.

// Like GetTrend (trend.h), for a request whose `by` is not BY_RUN.
absl::StatusOr<v1::GetTrendResponse> GetPeriodTrend(const store::Reading& reading,
                                                    const BlobReader& blobs,
                                                    const v1::GetTrendRequest& request,
                                                    QueryMemory* memory);

// The runs of the line that the request is about, as the message describes it.
absl::StatusOr<store::RunFilter> LineOf(const store::Reading& reading,
                                        const v1::GetTrendRequest& request) {
  store::RunFilter filter;
  filter.project = request.project();
  filter.branch = request.branch();
  filter.configuration = request.configuration();
  filter.mainline_only = true;
  filter.counted_only = true;
  filter.analysed_only = true;
  filter.limit = 1;
  if (filter.branch.empty()) {
    ASSIGN_OR_RETURN(filter.branch, reading.FindMainBranch(request.project()));
  }
  ASSIGN_OR_RETURN(std::vector<store::RunHead> newest, reading.ListRunHeads(filter));
  if (newest.empty()) {
    filter.branch = request.branch();
    filter.mainline_only = request.by() != v1::BY_RUN;
    ASSIGN_OR_RETURN(newest, reading.ListRunHeads(filter));
  }
  if (newest.empty()) return filter;
  filter.branch = newest.front().branch;
  filter.configuration = newest.front().configuration;
  return filter;
}

constexpr uint32_t kDefaultPeriods = 100;
constexpr uint32_t kMostPeriods = 1000;
// Number of runs in which the function's name is resolved.
constexpr uint32_t kNewestRuns = 20;

// The requested range, in days.
struct Asked {
  store::BranchKey branch;
  std::string target;
  int64_t first_day = 0;
  int64_t first_span = 0;
  int64_t last_span = 0;
};

// The newest run of the line that the request is about; empty: it has none.
absl::StatusOr<std::vector<store::RunHead>> NewestRuns(const store::Reading& reading,
                                                       const v1::GetTrendRequest& request) {
  ASSIGN_OR_RETURN(store::RunFilter filter, LineOf(reading, request));
  filter.limit = kNewestRuns;
  return reading.ListRunHeads(filter);
}

Asked AskedOf(const v1::GetTrendRequest& request, const store::RunHead& newest) {
  Asked asked = {{request.project(), newest.branch, newest.configuration}, request.target()};
  const int64_t periods = request.limit() == 0 ? kDefaultPeriods : request.limit();
  const int64_t last_day = DayOf(newest.ordered);
  asked.first_day =
      std::max<int64_t>(0, request.by() == v1::BY_WEEK ? MondayOf(last_day) - 7 * (periods - 1)
                                                       : last_day - (periods - 1));
  asked.first_span = store::SpanOf(absl::UnixEpoch() + absl::Hours(24) * asked.first_day);
  asked.last_span = store::SpanOf(newest.ordered);
  return asked;
}

// The days of a span, with the function's points.
struct ReadDays {
  std::vector<profile::SummaryDay> days;
  std::vector<profile::DayPoint> points;
};

absl::StatusOr<ReadDays> DaysOfSummary(const store::SpanSummary& summary) {
  ASSIGN_OR_RETURN(std::vector<profile::SummaryDay> days, profile::DecodeSummaryDays(summary.days));
  std::vector<profile::DayPoint> points(days.size());  // the function is absent
  if (!summary.functions.empty()) {
    ASSIGN_OR_RETURN(std::vector<profile::DayPoint> of_function,
                     profile::DecodeDayPoints(summary.functions.front().payload, days.size()));
    points = std::move(of_function);
  }
  return ReadDays{std::move(days), std::move(points)};
}

absl::StatusOr<ReadDays> DaysOfRuns(const store::Reading& reading, const BlobReader& blobs,
                                    const Asked& asked, int64_t span,
                                    const SeriesIdentity& function) {
  ASSIGN_OR_RETURN(const std::vector<store::RunHead> runs,
                   reading.ListSpanRuns(asked.branch, span));
  ASSIGN_OR_RETURN(
      const std::vector<FunctionAtRun> sums,
      SumsOf(reading, blobs.decoding(), {asked.branch.project, asked.target, runs}, function));
  std::vector<bool> analysed;
  for (const FunctionAtRun& sum : sums) analysed.push_back(sum.analysed);
  SpanDays days = DaysOf(runs, analysed, store::StartOfSpan(span));
  std::vector<profile::DayPoint> points = PointsOfDays(days, sums);
  return ReadDays{std::move(days.days), std::move(points)};
}

// The first span from `span` on that has runs or a summary, of which `next_summary` is the next.
// Skips the years that may lie before a branch's first run.
absl::StatusOr<int64_t> NextSpan(const store::Reading& reading, const store::BranchKey& branch,
                                 int64_t span, int64_t next_summary) {
  if (span == next_summary) return span;
  ASSIGN_OR_RETURN(const std::optional<int64_t> with_runs, reading.NextSpanWithRuns(branch, span));
  return std::min(with_runs.value_or(next_summary), next_summary);
}

absl::StatusOr<std::vector<HistoryDay>> ReadHistory(const store::Reading& reading,
                                                    const BlobReader& blobs, const Asked& asked,
                                                    const SeriesIdentity& function) {
  store::SummaryQuery query = {asked.branch, asked.first_span, asked.last_span, asked.target, {}};
  for (const uint64_t hash : function.hashes) {
    query.functions.push_back(static_cast<int64_t>(hash));
  }
  ASSIGN_OR_RETURN(const std::vector<store::SpanSummary> summaries, reading.ReadSummaries(query));
  auto next = summaries.begin();
  std::vector<HistoryDay> history;
  for (int64_t span = asked.first_span;; ++span) {
    RETURN_IF_ERROR(blobs.decoding().CheckWanted());
    while (next != summaries.end() && next->span < span) ++next;
    const int64_t next_summary = next == summaries.end() ? asked.last_span + 1 : next->span;
    ASSIGN_OR_RETURN(const int64_t found, NextSpan(reading, asked.branch, span, next_summary));
    span = found;
    if (span > asked.last_span) return history;
    const bool is_summarised = span == next_summary && next->functions.size() <= 1;
    ASSIGN_OR_RETURN(ReadDays days, is_summarised
                                        ? DaysOfSummary(*next)
                                        : DaysOfRuns(reading, blobs, asked, span, function));
    const int64_t start = DayOf(store::StartOfSpan(span));
    for (size_t i = 0; i < days.days.size(); ++i) {
      const int64_t day = start + days.days[i].day;
      if (day >= asked.first_day) history.push_back({day, days.days[i], days.points[i]});
    }
  }
}

absl::StatusOr<v1::GetTrendResponse> GetPeriodTrend(const store::Reading& reading,
                                                    const BlobReader& blobs,
                                                    const v1::GetTrendRequest& request,
                                                    QueryMemory* memory) {
  if (request.limit() > kMostPeriods) {
    return absl::InvalidArgumentError(
        absl::StrCat("limit: at most ", kMostPeriods, " days or weeks"));
  }
  ASSIGN_OR_RETURN(const std::vector<store::RunHead> newest, NewestRuns(reading, request));
  SeriesIdentity function = NamedFunction(request);
  ASSIGN_OR_RETURN(
      const std::vector<FunctionAtRun> of_name,
      SumsOf(reading, blobs.decoding(), {request.project(), request.target(), newest}, function));
  const bool is_named = IsInNewestRuns(of_name);
  if (!is_named) {
    ASSIGN_OR_RETURN(SeriesIdentity found, FindFunction(reading, blobs, newest, request, memory));
    function = std::move(found);
  }
  const Asked asked = AskedOf(request, newest.front());
  if (!is_named) {
    ASSIGN_OR_RETURN(const auto first, reading.NextSpanWithRuns(asked.branch, asked.first_span));
    ASSIGN_OR_RETURN(const auto oldest,
                     reading.ListSpanRuns(asked.branch, first.value_or(asked.last_span)));
    RETURN_IF_ERROR(AddOldestHashes(reading, blobs, oldest, request, function, memory));
  }
  ASSIGN_OR_RETURN(const std::vector<HistoryDay> days,
                   ReadHistory(reading, blobs, asked, function));
  v1::GetTrendResponse response = TrendOf(function);
  response.set_by(request.by());
  for (v1::TrendPeriod& period : PeriodsOf(days, request.by())) {
    *response.add_periods() = std::move(period);
  }
  MarkLevels(response);
  return response;
}

constexpr uint32_t kDefaultTrendRuns = 100;
constexpr uint32_t kMostTrendRuns = 10000;

// The runs of a trend, newest first.
struct Line {
  std::vector<store::RunHead> runs;
  int64_t separate = 0;  // id of the one that is not on the line; 0: none
};

absl::StatusOr<Line> ReadLine(const store::Reading& reading, v1::GetTrendRequest request) {
  std::optional<store::RunHead> extra;
  int64_t id = 0;
  if (!request.run_id().empty()) {
    if (!absl::SimpleAtoi(request.run_id(), &id)) {
      return absl::InvalidArgumentError("run_id: not a number");
    }
    ASSIGN_OR_RETURN(const store::RunRecord run, reading.ReadRun(id));
    if (run.project != request.project()) {
      return absl::NotFoundError(absl::StrCat("run_id: no run ", id, " of this project"));
    }
    if (request.configuration().empty()) request.set_configuration(run.configuration);
    extra = {run.id, run.commit, run.branch, run.configuration, /*is_mainline=*/false, run.ordered};
  }
  ASSIGN_OR_RETURN(store::RunFilter filter, LineOf(reading, request));
  filter.limit = request.limit() == 0 ? kDefaultTrendRuns : request.limit();
  Line line;
  ASSIGN_OR_RETURN(line.runs, reading.ListRunHeads(filter));
  const auto is_it = [id](const store::RunHead& run) { return run.id == id; };
  if (!extra.has_value() || std::any_of(line.runs.begin(), line.runs.end(), is_it)) return line;
  line.separate = id;
  const auto place =
      std::find_if(line.runs.begin(), line.runs.end(),
                   [&extra](const store::RunHead& run) { return run.ordered <= extra->ordered; });
  line.runs.insert(place, *std::move(extra));
  return line;
}

// The binaries of a target, or of all, by run. They are read where a level might begin.
class BinariesOfRuns {
 public:
  BinariesOfRuns(const store::Reading& reading, std::string target,
                 const std::vector<store::RunHead>& runs)
      : reading_(reading), target_(std::move(target)), runs_(runs) {}

  // Whether both are known, and the same.
  bool AreSame(size_t run, size_t before) {
    const std::string& binaries = Of(run);
    return !binaries.empty() && binaries == Of(before);
  }

  const absl::Status& status() const { return status_; }

 private:
  const std::string& Of(size_t run) {
    const auto [entry, is_new] = known_.try_emplace(run);
    if (!is_new || !status_.ok()) return entry->second;
    const absl::StatusOr<std::vector<store::TargetRecord>> targets =
        reading_.ListTargets(runs_[run].id);
    status_ = targets.status();
    if (!targets.ok()) return entry->second;
    std::string binaries;
    for (const store::TargetRecord& target : *targets) {
      if (!target_.empty() && target.label != target_) continue;
      if (target.test_binary_digest.empty()) return entry->second;
      absl::StrAppend(&binaries, target.label, " ", target.test_binary_digest, "\n");
    }
    return entry->second = std::move(binaries);
  }

  const store::Reading& reading_;
  const std::string target_;
  const std::vector<store::RunHead>& runs_;
  std::map<size_t, std::string> known_;
  absl::Status status_;
};

// Sets the subjects of the commits at which a level begins. A run may be deleted meanwhile.
absl::Status AddSubjects(const store::Reading& reading, v1::GetTrendResponse& trend) {
  std::vector<int64_t> runs;
  std::vector<v1::TrendPoint*> points;
  for (v1::TrendPoint& point : *trend.mutable_points()) {
    if (point.calls_change() == v1::NO_CHANGE && point.self_change() == v1::NO_CHANGE) continue;
    int64_t id = 0;
    if (!absl::SimpleAtoi(point.run_id(), &id)) continue;
    runs.push_back(id);
    points.push_back(&point);
  }
  ASSIGN_OR_RETURN(const auto subjects, reading.ListSubjects(runs));
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto found = subjects.find(runs[i]);
    if (found != subjects.end()) points[i]->set_subject(found->second);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::GetTrendResponse> GetTrend(const store::Reading& reading,
                                              const BlobReader& blobs,
                                              const v1::GetTrendRequest& request,
                                              QueryMemory* memory) {
  if (request.by() != v1::BY_RUN) return GetPeriodTrend(reading, blobs, request, memory);
  if (request.limit() > kMostTrendRuns) {
    return absl::InvalidArgumentError(absl::StrCat("limit: at most ", kMostTrendRuns));
  }
  ASSIGN_OR_RETURN(const Line line, ReadLine(reading, request));
  const std::vector<store::RunHead>& runs = line.runs;
  const SummedRuns summed = {request.project(), request.target(), runs};

  // A linkage name, as in links of pages, identifies the series: no profile needs to be read,
  // unless the function is static.
  const SeriesIdentity named = NamedFunction(request);
  ASSIGN_OR_RETURN(const std::vector<FunctionAtRun> of_name,
                   SumsOf(reading, blobs.decoding(), summed, named));
  BinariesOfRuns binaries(reading, request.target(), runs);
  const auto same_binaries = [&binaries](size_t run, size_t before) {
    return binaries.AreSame(run, before);
  };
  const auto build =
      [&](const SeriesIdentity& identity,
          const std::vector<FunctionAtRun>& sums) -> absl::StatusOr<v1::GetTrendResponse> {
    v1::GetTrendResponse trend = BuildTrend(identity, runs, sums, line.separate, same_binaries);
    RETURN_IF_ERROR(binaries.status());
    RETURN_IF_ERROR(AddSubjects(reading, trend));
    return trend;
  };
  if (IsInNewestRuns(of_name)) return build(named, of_name);

  ASSIGN_OR_RETURN(SeriesIdentity function, FindFunction(reading, blobs, runs, request, memory));
  RETURN_IF_ERROR(AddOldestHashes(reading, blobs, runs, request, function, memory));
  ASSIGN_OR_RETURN(const std::vector<FunctionAtRun> sums,
                   SumsOf(reading, blobs.decoding(), summed, function));
  return build(function, sums);
}

}  // namespace gprofhub::reporter
