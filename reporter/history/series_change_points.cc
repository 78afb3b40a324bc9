#include "reporter/history/series_change_points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "profile/codec/series.h"
#include "profile/names.h"
#include "reporter/comparison/time_model.h"
#include "reporter/history/time_steps.h"

namespace gprofhub::reporter {

void AddBucket(profile::SeriesSegment of_bucket, profile::SeriesSegment& segment) {
  if (segment.points.empty()) {
    segment = std::move(of_bucket);
  } else {
    segment.points.insert(segment.points.end(), of_bucket.points.begin(), of_bucket.points.end());
  }
}

namespace {

// Functions with fewer samples per release are not tested: no history is long enough.
constexpr double kSamplesToJudge = 10;
// Number of points of a target that are kept while all its buckets are processed, and are read at
// once: 14 MB with their rows. Further points are read by bucket, and twice.
constexpr size_t kMostKeptPoints = 200'000;

// One function at one release.
struct Cell {
  double calls = 0;
  double samples = 0;
  double calls_each = 0;  // per execution, of the first run seen
  uint32_t seen = 0;      // runs with a point
  bool repeats = true;
};

// Whether the function is a measured quantity, not a count.
bool IsMeasured(uint64_t function_hash) {
  static const std::vector<uint64_t> hashes = [] {
    std::vector<uint64_t> of_names;
    for (const profile::MeasuredQuantity& quantity : profile::kMeasuredQuantities) {
      of_names.push_back(profile::FunctionHash(quantity.name, ""));
    }
    return of_names;
  }();
  return std::find(hashes.begin(), hashes.end(), function_hash) != hashes.end();
}

struct ReleaseTotals {
  bool measured = false;
  bool unchanged = false;
  bool same_binaries = false;
  uint32_t runs = 0;
  double repetitions = 0;
  double exposure = 0;  // samples per second × executions
  double samples = 0;   // over all functions
};

using Rows = absl::flat_hash_map<uint64_t, std::vector<Cell>>;

Rows ToRows(const std::vector<ReleaseSeries>& series) {
  Rows rows;
  for (size_t release = 0; release < series.size(); ++release) {
    for (const profile::SeriesSegment& segment : series[release].segments) {
      const uint64_t repetitions = std::max<uint32_t>(1, segment.repetitions);
      for (const profile::SeriesPoint& point : segment.points) {
        std::vector<Cell>& row = rows[point.function_hash];
        row.resize(series.size());
        Cell& cell = row[release];
        const double each = static_cast<double>(point.calls) / static_cast<double>(repetitions);
        if (point.calls % repetitions != 0 || (cell.seen > 0 && each != cell.calls_each)) {
          cell.repeats = false;
        }
        cell.calls_each = each;
        cell.calls += static_cast<double>(point.calls);
        cell.samples += point.self_samples;
        ++cell.seen;
      }
    }
  }
  return rows;
}

// Adds the series of some buckets. The runs and executions of a release are the same in all its
// buckets, but a bucket without functions of a run does not show the run. So the buckets with the
// most runs count.
void AddTotals(const std::vector<ReleaseSeries>& series, std::vector<ReleaseTotals>& totals) {
  totals.resize(series.size());
  for (size_t release = 0; release < series.size(); ++release) {
    ReleaseTotals& total = totals[release];
    total.measured = total.measured || series[release].measured;
    total.unchanged = series[release].unchanged;
    total.same_binaries = series[release].same_binaries;
    for (const profile::SeriesSegment& segment : series[release].segments) {
      for (const profile::SeriesPoint& point : segment.points) total.samples += point.self_samples;
    }
    if (series[release].segments.size() <= total.runs) continue;
    total.runs = 0;
    total.repetitions = total.exposure = 0;
    for (const profile::SeriesSegment& segment : series[release].segments) {
      const double repetitions = std::max<uint32_t>(1, segment.repetitions);
      ++total.runs;
      total.repetitions += repetitions;
      total.exposure += segment.sample_rate * repetitions;
    }
  }
}

std::vector<CountPoint> CountsOf(const std::vector<Cell>& row,
                                 const std::vector<ReleaseTotals>& totals) {
  std::vector<CountPoint> points;
  for (size_t release = 0; release < row.size(); ++release) {
    if (!totals[release].measured) continue;
    const Cell& cell = row[release];
    const bool in_some_runs = cell.seen > 0 && cell.seen < totals[release].runs && cell.calls > 0;
    points.push_back({release, cell.calls / std::max(1.0, totals[release].repetitions),
                      cell.repeats && !in_some_runs});
  }
  return points;
}

size_t CountPoints(const std::vector<ReleaseSeries>& series) {
  size_t points = 0;
  for (const ReleaseSeries& release : series) {
    for (const profile::SeriesSegment& segment : release.segments) points += segment.points.size();
  }
  return points;
}

// The functions with enough samples. They are tested once all of them are known.
struct SampledRows {
  std::vector<size_t> releases;  // the columns: those with samples
  std::vector<uint64_t> hashes;
  std::vector<std::vector<double>> samples;
};

void FindTimeChanges(const SampledRows& rows, const std::vector<ReleaseTotals>& totals,
                     size_t target, size_t targets, std::vector<SeriesChange>& changes) {
  RunExposures exposures;
  for (const size_t release : rows.releases) exposures.exposure.push_back(totals[release].exposure);
  std::vector<absl::Span<const double>> spans(rows.samples.begin(), rows.samples.end());
  const std::vector<double> speed = EstimateSpeedFactors(exposures, spans, {});
  std::vector<std::vector<TimePoint>> series;
  for (const std::vector<double>& samples : rows.samples) {
    std::vector<TimePoint>& points = series.emplace_back();
    for (size_t i = 0; i < samples.size(); ++i) {
      points.push_back({rows.releases[i], samples[i], exposures.exposure[i] * speed[i]});
    }
  }
  const std::vector<Scatter> scatters = EstimateScatter(series);
  ChangePointOptions options;
  // Targets are processed one at a time. Each is assumed to have the same number of series.
  options.series = series.size() * targets;
  for (size_t i = 0; i < series.size(); ++i) {
    for (const ChangePoint& change : FindTimeSteps(series[i], scatters[i], options)) {
      changes.push_back({target, rows.hashes[i], v1::Finding::SELF_TIME, change});
    }
  }
}

}  // namespace

namespace {

// The build excludes a change at an unchanged release.
void LeaveOutUnchanged(const std::vector<bool>& unchanged, std::vector<SeriesChange>& changes) {
  for (SeriesChange& change : changes) {
    while (change.change.last_before + 1 < change.change.at &&
           unchanged[change.change.last_before + 1]) {
      ++change.change.last_before;
    }
  }
}

// An exact count is what the program did. All other values also depend on the machine.
void LeaveOutSameBinaries(const std::vector<ReleaseTotals>& totals,
                          std::vector<SeriesChange>& changes) {
  const auto may_begin = [&totals](size_t release) {
    return totals[release].measured && !totals[release].same_binaries;
  };
  changes.erase(std::remove_if(changes.begin(), changes.end(),
                               [&](SeriesChange& found) {
                                 ChangePoint& change = found.change;
                                 if (std::isinf(change.strength)) return false;
                                 if (!MoveToPossible(may_begin, change)) return true;
                                 // Measured releases with the same binaries have the old level.
                                 size_t before = change.last_before;
                                 for (size_t i = before + 1; i < change.at && !may_begin(i); ++i) {
                                   if (totals[i].measured) before = i;
                                 }
                                 change.last_before = before;
                                 return false;
                               }),
                changes.end());
}

// Some buckets of a target. They are processed twice: only after all of them are the runs and
// executions of a release known.
struct ReadBuckets {
  Buckets buckets;
  std::vector<ReleaseSeries> series;  // empty: to be read again
};

// Reads all buckets, and sums up their releases. Hashes spread functions evenly: the first bucket
// shows whether the others are small enough to be read at once.
absl::StatusOr<std::vector<ReadBuckets>> ReadAllBuckets(History& history, const std::string& label,
                                                        std::vector<ReleaseTotals>& totals) {
  std::vector<ReadBuckets> all;
  size_t points = 0;
  uint32_t count = 1;
  for (uint32_t first = 0; first < profile::kSeriesBuckets; first += count) {
    if (first == 1 && points * profile::kSeriesBuckets <= kMostKeptPoints) {
      count = profile::kSeriesBuckets - first;
    }
    ReadBuckets& read = all.emplace_back();
    read.buckets = {first, count};
    ASSIGN_OR_RETURN(read.series, history.ReadSeries(label, read.buckets));
    AddTotals(read.series, totals);
    points += CountPoints(read.series);
    if (points > kMostKeptPoints) read.series.clear();
  }
  return all;
}

// Appends the changes of the counts of these buckets, and their functions with enough samples.
void FindCountChanges(const std::vector<ReleaseSeries>& series,
                      const std::vector<ReleaseTotals>& totals, size_t target, size_t targets,
                      SampledRows& sampled, std::vector<SeriesChange>& changes) {
  const Rows rows = ToRows(series);
  std::array<size_t, profile::kSeriesBuckets> functions = {};
  for (const auto& [hash, row] : rows) ++functions[profile::SeriesBucket(hash)];
  for (const auto& [hash, row] : rows) {
    ChangePointOptions options;
    options.series = functions[profile::SeriesBucket(hash)] * profile::kSeriesBuckets * targets;
    const std::vector<CountPoint> counts = CountsOf(row, totals);
    const bool exact = !IsMeasured(hash) && IsExact(counts);
    for (const ChangePoint& change :
         exact ? FindCountSteps(counts) : FindVaryingCountSteps(counts, options)) {
      changes.push_back({target, hash, v1::Finding::CALLS, change});
    }
    std::vector<double> samples;
    double sum = 0;
    for (const size_t release : sampled.releases) {
      samples.push_back(row[release].samples);
      sum += samples.back();
    }
    if (sum < kSamplesToJudge * static_cast<double>(samples.size()) || samples.empty()) continue;
    sampled.hashes.push_back(hash);
    sampled.samples.push_back(std::move(samples));
  }
}

}  // namespace

absl::StatusOr<std::vector<SeriesChange>> FindSeriesChanges(History& history, size_t target) {
  const std::string& label = history.targets()[target];
  std::vector<ReleaseTotals> totals;
  ASSIGN_OR_RETURN(std::vector<ReadBuckets> all, ReadAllBuckets(history, label, totals));
  std::vector<bool> unchanged;
  for (const ReleaseTotals& total : totals) unchanged.push_back(total.unchanged);
  SampledRows sampled;
  for (size_t release = 0; release < totals.size(); ++release) {
    // A release without any sample was not sampled.
    if (totals[release].exposure > 0 && totals[release].samples > 0)
      sampled.releases.push_back(release);
  }
  const size_t targets = history.targets().size();
  std::vector<SeriesChange> changes;
  for (ReadBuckets& read : all) {
    if (read.series.empty()) {
      ASSIGN_OR_RETURN(read.series, history.ReadSeries(label, read.buckets));
    }
    FindCountChanges(read.series, totals, target, targets, sampled, changes);
    read.series = {};
  }
  FindTimeChanges(sampled, totals, target, targets, changes);
  LeaveOutSameBinaries(totals, changes);
  LeaveOutUnchanged(unchanged, changes);
  // Deterministic order: hash maps have none.
  std::sort(changes.begin(), changes.end(), [](const SeriesChange& a, const SeriesChange& b) {
    return std::tie(a.function_hash, a.metric, a.change.at) <
           std::tie(b.function_hash, b.metric, b.change.at);
  });
  return changes;
}

}  // namespace gprofhub::reporter
