// Change points of times. The samples n_i over the exposures e_i are overdispersed Poisson counts:
// variance = dispersion × mean. The cost of fitting one rate to a segment is its quasi-deviance,
// without terms that cancel:
//
//   cost(segment) = -2 N log(N / E) / dispersion,   N = Σ n_i, E = Σ e_i
//
// The best segmentation minimises the sum of the costs plus a penalty for each change. Dynamic
// programming over the position of the last change finds it exactly (optimal partitioning: Jackson
// et al., "An algorithm for optimal partitioning of data on an interval", 2005). The penalised form
// and its use are from Killick, Fearnhead and Eckley, "Optimal detection of changepoints with a
// linear computational cost", 2012. A few dozen points do not need their pruning. With prefix sums
// a segment's cost is one logarithm.
//
// The penalty is the square of a quantile of Student's t, at the level false_alarms / (2 ×
// positions × series) (Bonferroni). So the family-wise error rate holds for all the thousands of
// series together. The dispersion is estimated in scatter.cc.
//
// Single outliers are removed first: releases that agree with none of their four neighbours. So a
// level lasts at least two releases, and a change of time is confirmed by the next release.
//
// Then each change is tested against its neighbours. It must exceed the penalty. Its effect must
// exceed the minimum effect by twice its standard error. And a line through both adjoining segments
// must not fit better than the two levels, because a slow drift has no culprit release.
//
// The fit also yields the precision of a change's position: all positions are possible whose cost
// is within kLocationDrop of the optimum.
#include "reporter/history/time_steps.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>

#include "reporter/history/segments.h"

namespace gprofhub::reporter {
namespace {

constexpr double kOdd = 3.5;         // standard errors from each neighbour
constexpr double kLocationDrop = 6;  // of the quasi-deviance
constexpr double kSureOfEffect = 2;  // standard errors above the minimum effect

double PenaltyRoot(size_t positions, const Scatter& scatter, const ChangePointOptions& options) {
  const double tail = options.false_alarms / 2 /
                      static_cast<double>(std::max<size_t>(1, positions)) /
                      static_cast<double>(std::max<size_t>(1, options.series));
  if (scatter.df >= 1000) {
    return boost::math::quantile(
        boost::math::complement(boost::math::normal_distribution<double>(), tail));
  }
  return boost::math::quantile(
      boost::math::complement(boost::math::students_t_distribution<double>(scatter.df), tail));
}

std::vector<TimePoint> WithoutOddOnes(absl::Span<const TimePoint> points, double dispersion) {
  std::vector<TimePoint> kept;
  for (size_t i = 0; i < points.size(); ++i) {
    size_t above = 0, below = 0, neighbours = 0;
    for (size_t j = i < 2 ? 0 : i - 2; j < std::min(points.size(), i + 3); ++j) {
      if (j == i) continue;
      ++neighbours;
      if (ScaledDifference(points[i], points[j]) <= kOdd * kOdd * dispersion) continue;
      const bool more =
          points[i].samples * points[j].exposure > points[j].samples * points[i].exposure;
      ++(more ? above : below);
    }
    const bool odd = neighbours > 1 && (above == neighbours || below == neighbours);
    if (!odd) kept.push_back(points[i]);
  }
  return kept;
}

// Drops changes that are too small or are not steps, the worst first, until all remaining ones
// pass.
void DropWeak(const Segments& segments, double penalty_root, const ChangePointOptions& options,
              std::vector<size_t>& cuts) {
  const double minimum = std::log1p(options.minimum_effect_percent / 100);
  for (;;) {
    size_t worst = 0;
    double worst_by = 0;
    for (size_t i = 1; i + 1 < cuts.size(); ++i) {
      const double effect = std::fabs(segments.Effect(cuts[i - 1], cuts[i], cuts[i + 1]));
      const double error = segments.Error(cuts[i - 1], cuts[i], cuts[i + 1]);
      double by = std::max(0.0, kSureOfEffect - (effect - minimum) / error);
      by = std::max(by, penalty_root - effect / error);
      if (segments.LineGain(cuts[i - 1], cuts[i], cuts[i + 1]) > 0) by = std::max(by, 1.0);
      if (by > worst_by) {
        worst_by = by;
        worst = i;
      }
    }
    if (worst == 0) return;
    cuts.erase(cuts.begin() + static_cast<ptrdiff_t>(worst));
  }
}

// The change at `cut` between the levels [begin, cut) and [cut, end), with the precision of its
// position from the fit.
ChangePoint Describe(const Segments& segments, size_t begin, size_t cut, size_t end) {
  const double best = segments.Cost(begin, cut) + segments.Cost(cut, end);
  size_t low = cut, high = cut;
  for (size_t other = begin + 1; other < end; ++other) {
    if (segments.Cost(begin, other) + segments.Cost(other, end) > best + kLocationDrop) continue;
    low = std::min(low, other);
    high = std::max(high, other);
  }
  ChangePoint change;
  change.last_before = segments[low - 1].release;
  change.at = segments[cut].release;
  change.first_after = segments[high].release;
  change.before = segments.Rate(begin, cut);
  change.after = segments.Rate(cut, end);
  change.strength = std::fabs(segments.Effect(begin, cut, end)) / segments.Error(begin, cut, end);
  return change;
}

}  // namespace

std::vector<ChangePoint> FindTimeSteps(absl::Span<const TimePoint> points, const Scatter& scatter,
                                       const ChangePointOptions& options) {
  if (points.size() < 2 * kShortestLevel) return {};
  const Segments segments(WithoutOddOnes(points, scatter.dispersion), scatter);
  if (segments.size() < 2 * kShortestLevel) return {};
  const double root = PenaltyRoot(segments.size(), scatter, options);
  std::vector<size_t> cuts = segments.Partition(root * root);
  DropWeak(segments, root, options, cuts);

  std::vector<ChangePoint> found;
  for (size_t i = 1; i + 1 < cuts.size(); ++i) {
    found.push_back(Describe(segments, cuts[i - 1], cuts[i], cuts[i + 1]));
  }
  return found;
}

std::vector<ChangePoint> FindVaryingCountSteps(absl::Span<const CountPoint> points,
                                               const ChangePointOptions& options) {
  // Counts are treated as samples. Their dispersion comes from neighbours' differences.
  std::vector<TimePoint> samples;
  for (const CountPoint& point : points) samples.push_back({point.release, point.calls, 1});
  return FindTimeSteps(samples, ScatterOfCounts(samples), options);
}

}  // namespace gprofhub::reporter
