// Change points of a function's sampled times.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace gprofhub::reporter {

// A function's time series and their change points, as values.

// A function's calls at one release. A release is a commit with its runs. Releases are numbered
// from 0 in the order of their commits. A release at which the function was not measured has no
// point.
struct CountPoint {
  size_t release = 0;
  double calls = 0;     // per execution
  bool repeats = true;  // all executions of the release agree
};

// A function's samples at one release. `exposure` is samples per second × executions × slowdown of
// the release's machines. So samples / exposure is seconds per execution.
struct TimePoint {
  size_t release = 0;
  double samples = 0;
  double exposure = 0;
};

// A new level begins at release `at`. The cause lies in (last_before, first_after]. `last_before`
// is the last release that certainly has the old level, `first_after` the first that certainly has
// the new one.
struct ChangePoint {
  size_t last_before = 0;
  size_t at = 0;
  size_t first_after = 0;
  bool confirmed = true;  // the new level persisted; false only at the newest release
  double before = 0;      // the levels: calls or seconds per execution
  double after = 0;
  // Effect size: the change of the level, as a multiple of its standard error. Infinite if exact.
  double strength = 0;
};

struct ChangePointOptions {
  // Smaller changes of a sampled level are ignored.
  double minimum_effect_percent = 5;
  // Family-wise error rate: probability of any false change point in all `series` that are tested.
  double false_alarms = 0.01;
  size_t series = 1;
};

// Moves a change to the nearest release at which it may begin, among those of its range. Returns
// whether there is one. `may_begin` is asked about releases after the range's first.
bool MoveToPossible(const std::function<bool(size_t release)>& may_begin, ChangePoint& change);

// Change points of a function's exact counts.

// Whether the program repeats its counts, so that every difference is real; count_steps.cc has the
// criteria. Points ascend by release, here and below.
bool IsExact(absl::Span<const CountPoint> points);

// The steps of exact counts.
std::vector<ChangePoint> FindCountSteps(absl::Span<const CountPoint> points);

// Candidate starts of the last level, for any later end.
//
// The optimal segmentation of a series is found by dynamic programming: for each end, all starts of
// the last level are tried, which is quadratic in the length. Most starts can no longer win. Let
// f_i(r) be the cost of the best segmentation before i, plus that of one level of rate r from i to
// the present. Each new release adds the same cost to all of them. So the difference of two is
// constant, and once f_j(r) is less than f_i(r), it stays less. A start is dropped when for each
// rate another one costs less: functional pruning (R. Maidstone, T. Hocking, G. Rigaill, P.
// Fearnhead, "On optimal multiple changepoint algorithms for large data", 2017). The result is the
// same as for all starts. About a dozen of them stay, whether the series changes or not.
//
// For each start two intervals of rates are kept in which it may be optimal. They are conservative:
// roots are approximated from outside.

class LevelStarts {
 public:
  // A start: the prefix sums before it, and the cost of its best segmentation. Costs are those of
  // the quasi-Poisson deviance, 2 / dispersion × (exposure × rate − samples × log(rate)).
  struct Start {
    size_t begin = 0;
    double exposure = 0;  // sum over all releases before
    double samples = 0;
    double cost = 0;
  };

  // Appends a start, with more exposure before it than the others, and drops those that can no
  // longer win.
  void Add(const Start& start, double dispersion);

  // In order.
  const std::vector<size_t>& begins() const { return begins_; }

 private:
  using Interval = std::pair<double, double>;
  struct Candidate {
    Start start;
    Interval rates[2];  // empty if first > second
  };

  std::vector<Candidate> candidates_;
  std::vector<size_t> begins_;
};

// Dispersion of a series of samples about its levels.

// Estimated dispersion and its precision.
struct Scatter {
  double dispersion = 1;  // Var(samples) / mean
  double df = 1000;       // degrees of freedom of that estimate
};

// The dispersion of each series about its own levels; steps do not count. Shrunk towards the
// typical value of all series. Never less than sampling error.
std::vector<Scatter> EstimateScatter(absl::Span<const std::vector<TimePoint>> series);

// The dispersion of counts that vary from run to run, estimated from the series alone.
Scatter ScatterOfCounts(absl::Span<const TimePoint> points);

// The squared difference of two rates, divided by its expectation under Poisson's law. 0 without
// samples.
double ScaledDifference(const TimePoint& a, const TimePoint& b);

// Segmentation of a series into levels: costs, and the optimal cuts.

// Minimum length of a level, in releases.
inline constexpr size_t kShortestLevel = 2;

// A segment is [begin, end) of the series. Costs come from prefix sums.
class Segments {
 public:
  Segments(std::vector<TimePoint> points, const Scatter& scatter);

  size_t size() const { return points_.size(); }
  const TimePoint& operator[](size_t i) const { return points_[i]; }

  double Rate(size_t begin, size_t end) const { return Samples(begin, end) / Exposure(begin, end); }

  // The quasi-deviance of time_steps.cc. 0 without samples.
  double Cost(size_t begin, size_t end) const;

  // The cuts with the minimum sum of costs and penalties; every level but the first costs a
  // penalty. The result begins with 0 and ends with size(); between them are the starts of the
  // other levels. Each level has at least kShortestLevel releases, unless the series is shorter.
  std::vector<size_t> Partition(double penalty) const;

  // The positions at which Partition may cut: a superset of its cuts, in order.
  std::vector<size_t> PossibleCuts(double penalty) const;

  // log(after / before) of a change at `cut`, and its standard error. Half a sample is added to
  // each side, so that the logarithm is finite without samples.
  double Effect(size_t begin, size_t cut, size_t end) const;
  double Error(size_t begin, size_t cut, size_t end) const;

  // How much better one line fits the points of both levels than the levels do, as the difference
  // of the weighted sums of squares. Positive for a drift. Negative for up to four points, which
  // are too few to decide.
  double LineGain(size_t begin, size_t cut, size_t end) const;

 private:
  double Samples(size_t begin, size_t end) const { return samples_[end] - samples_[begin]; }
  double Exposure(size_t begin, size_t end) const { return exposure_[end] - exposure_[begin]; }

  const std::vector<TimePoint> points_;
  const double dispersion_;
  std::vector<double> samples_, exposure_;  // prefix sums
};

// Points ascend by release. The essay is in time_steps.cc.
std::vector<ChangePoint> FindTimeSteps(absl::Span<const TimePoint> points, const Scatter& scatter,
                                       const ChangePointOptions& options);

// The same for counts that vary from run to run, treated as measurements.
std::vector<ChangePoint> FindVaryingCountSteps(absl::Span<const CountPoint> points,
                                               const ChangePointOptions& options);

}  // namespace gprofhub::reporter
