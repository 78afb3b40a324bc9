// Exact counts. Each difference is real, and what is left to ask is whether it
// stayed. A step is where the count differs from the level before and the next
// release has the new count, too; a count that comes back at once was an odd run.
// Between the levels there may be releases with counts of neither: the step lies
// somewhere among them. At the newest release nothing has followed yet: a
// difference there is unconfirmed. A series is no exact one (a hash of addresses, a
// race, the clock) if executions of one release disagree, if it changes at more
// than half of the releases, if more than a fifth of them are odd, or if one value
// is left and come back to twice.
//
// Times. Samples n_i over exposures e_i are overdispersed Poisson counts: variance =
// dispersion × mean. A segment with one rate then fits with the quasi-deviance
//
//   cost(segment) = -2 N log(N / E) / dispersion,   N = Σ n_i, E = Σ e_i
//
// (the rest cancels), and the best segmentation minimises the sum of the costs plus
// a penalty per change, found exactly by dynamic programming over the position of
// the last change (optimal partitioning: Jackson et al., "An algorithm for optimal
// partitioning of data on an interval", 2005; the penalised form and its use are
// Killick, Fearnhead and Eckley's, "Optimal detection of changepoints with a linear
// computational cost", 2012, whose pruning a few dozen points do not need). Prefix
// sums make a segment's cost one logarithm.
//
// The penalty is the square of the quantile of Student's t that noise exceeds with a
// chance of false_alarms / (2 × positions × series) (Bonferroni), so that it holds
// for all series together: thousands are looked at. The dispersion is estimated from
// differences of neighbouring releases, which steps hardly touch (von Neumann 1941;
// their median, since a few differences are steps), and mixed with what is typical
// of all series at that number of samples, which also gives t its degrees of
// freedom.
//
// Single odd releases are left out first: those that agree with none of their four
// neighbours. A level thus lasts two releases at least, and a time is confirmed by
// what follows. Three checks of each change remain, in the light of its neighbours:
// its effect exceeds the minimum effect, by twice its error; and a line through both
// adjoining segments does not fit better than two levels, for a slow drift has no
// release to blame. Where a change lies is known as exactly as the fit says: all
// positions whose cost is within kLocationDrop of the best are possible.
#include "reporter/history/change_points.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <map>

#include "reporter/times/median.h"

namespace gprofhub::reporter {
namespace {

constexpr double kOdd = 3.5;         // times its error from each neighbour
constexpr double kLocationDrop = 6;  // of the quasi-deviance
constexpr double kSureOfEffect = 2;  // times its error above the minimum effect
constexpr double kAssumedVariation = 0.03;
constexpr double kEnoughSamples = 20;
constexpr size_t kEnoughSeries = 5;
constexpr double kTypicalDf = 12;  // what the typical scatter counts for
constexpr double kMedianChiSquare = 0.4549;
// A median of n differences, each point in two of them, says as much about the
// variance as so many times n independent squares.
constexpr double kDfPerDifference = 0.3;
constexpr size_t kShortestLevel = 2;
constexpr double kLeastCountVariation = 0.005;

double MeanSamples(absl::Span<const TimePoint> points) {
  double sum = 0;
  for (const TimePoint& point : points) sum += point.samples;
  return points.empty() ? 0 : sum / static_cast<double>(points.size());
}

// (difference of two rates)² over what Poisson's law expects of it.
double Difference(const TimePoint& a, const TimePoint& b) {
  const double samples = a.samples + b.samples;
  const double exposure = a.exposure + b.exposure;
  if (samples <= 0 || exposure <= 0) return 0;
  const double rate = samples / exposure;
  const double gap = a.samples / a.exposure - b.samples / b.exposure;
  return gap * gap / (rate * (1 / a.exposure + 1 / b.exposure));
}

// Dispersion by neighbours' differences alone.
double OwnDispersion(absl::Span<const TimePoint> points) {
  std::vector<double> squares;
  for (size_t i = 1; i < points.size(); ++i) {
    squares.push_back(Difference(points[i - 1], points[i]));
  }
  return squares.empty() ? 1 : Median(std::move(squares)) / kMedianChiSquare;
}

// The same where many neighbours are equal and the median says nothing: a mean
// without the largest tenth, in which the steps are.
double TrimmedDispersion(absl::Span<const TimePoint> points) {
  std::vector<double> squares;
  for (size_t i = 1; i < points.size(); ++i) {
    squares.push_back(Difference(points[i - 1], points[i]));
  }
  if (squares.size() < 2) return 0;
  std::sort(squares.begin(), squares.end());
  squares.resize(squares.size() - 1 - squares.size() / 10);
  double sum = 0;
  for (const double square : squares) sum += square;
  return sum / static_cast<double>(squares.size());
}

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
      if (Difference(points[i], points[j]) <= kOdd * kOdd * dispersion) continue;
      const bool more =
          points[i].samples * points[j].exposure > points[j].samples * points[i].exposure;
      ++(more ? above : below);
    }
    const bool odd = neighbours > 1 && (above == neighbours || below == neighbours);
    if (!odd) kept.push_back(points[i]);
  }
  return kept;
}

// A series whose segments' costs are read off prefix sums.
class Segments {
 public:
  Segments(std::vector<TimePoint> points, const Scatter& scatter)
      : points_(std::move(points)), dispersion_(scatter.dispersion) {
    samples_.push_back(0);
    exposure_.push_back(0);
    for (const TimePoint& point : points_) {
      samples_.push_back(samples_.back() + point.samples);
      exposure_.push_back(exposure_.back() + point.exposure);
    }
  }

  size_t size() const { return points_.size(); }
  const TimePoint& operator[](size_t i) const { return points_[i]; }

  double Samples(size_t begin, size_t end) const { return samples_[end] - samples_[begin]; }
  double Exposure(size_t begin, size_t end) const { return exposure_[end] - exposure_[begin]; }
  double Rate(size_t begin, size_t end) const { return Samples(begin, end) / Exposure(begin, end); }

  double Cost(size_t begin, size_t end) const {
    const double samples = Samples(begin, end);
    if (samples <= 0) return 0;
    return -2 * samples * std::log(samples / Exposure(begin, end)) / dispersion_;
  }

  // Ends with 0 and size(): between them the starts of the levels but the first.
  std::vector<size_t> Partition(double penalty) const {
    const size_t n = size();
    std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
    std::vector<size_t> last(n + 1, 0);
    best[0] = -penalty;
    for (size_t end = kShortestLevel; end <= n; ++end) {
      for (size_t begin = 0; begin + kShortestLevel <= end; ++begin) {
        const double cost = best[begin] + Cost(begin, end) + penalty;
        if (cost < best[end]) {
          best[end] = cost;
          last[end] = begin;
        }
      }
    }
    std::vector<size_t> cuts = {n};
    while (cuts.back() > 0) cuts.push_back(last[cuts.back()]);
    std::reverse(cuts.begin(), cuts.end());
    return cuts;
  }

  // log(after / before) of a change at `cut`, and its standard error. Half a sample
  // more on each side, so that none is no logarithm of zero.
  double Effect(size_t begin, size_t cut, size_t end) const {
    return std::log((Samples(cut, end) + 0.5) / Exposure(cut, end)) -
           std::log((Samples(begin, cut) + 0.5) / Exposure(begin, cut));
  }
  double Error(size_t begin, size_t cut, size_t end) const {
    return std::sqrt(dispersion_ *
                     (1 / (Samples(begin, cut) + 0.5) + 1 / (Samples(cut, end) + 0.5)));
  }

  // How much better a line fits the points of both levels than the levels do: the
  // difference of the weighted sums of squares; positive for a drift.
  double LineGain(size_t begin, size_t cut, size_t end) const {
    if (end - begin <= 2 * kShortestLevel) return -1;
    double weight = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    double levels = 0;
    const double expected[2] = {Rate(begin, cut), Rate(cut, end)};
    for (size_t i = begin; i < end; ++i) {
      const double w = points_[i].exposure;
      const double rate = points_[i].samples / points_[i].exposure;
      const double at = static_cast<double>(points_[i].release);
      weight += w, x += w * at, y += w * rate;
      xx += w * at * at, xy += w * at * rate, yy += w * rate * rate;
      const double off = rate - expected[i >= cut];
      levels += w * off * off;
    }
    const double sxx = xx - x * x / weight, sxy = xy - x * y / weight, syy = yy - y * y / weight;
    return levels - (sxx > 0 ? syy - sxy * sxy / sxx : syy);
  }

 private:
  const std::vector<TimePoint> points_;
  const double dispersion_;
  std::vector<double> samples_, exposure_;  // prefix sums
};

// Drops changes too small or no steps, the worst first, until all that are left
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

}  // namespace

bool IsExact(absl::Span<const CountPoint> points) {
  size_t changes = 0, odd = 0;
  std::vector<double> levels;
  for (size_t i = 0; i < points.size(); ++i) {
    if (!points[i].repeats) return false;
    if (i > 0 && points[i].calls != points[i - 1].calls) ++changes;
    const bool inner = i > 0 && i + 1 < points.size();
    if (inner && points[i - 1].calls == points[i + 1].calls &&
        points[i].calls != points[i - 1].calls) {
      ++odd;
    } else if (levels.empty() || levels.back() != points[i].calls) {
      levels.push_back(points[i].calls);
    }
  }
  if (changes > 1 && changes * 2 > points.size()) return false;
  if (odd > 1 && odd * 5 > points.size()) return false;
  std::map<double, int> stays;
  for (const double level : levels) {
    if (++stays[level] > 2) return false;
  }
  return true;
}

std::vector<ChangePoint> FindCountSteps(absl::Span<const CountPoint> points) {
  std::vector<ChangePoint> steps;
  size_t last = 0;  // of the level so far
  for (size_t i = 1; i < points.size();) {
    const double level = points[last].calls;
    // The first count that stays, be it the old one.
    size_t next = i;
    while (next + 1 < points.size() && points[next].calls != level &&
           points[next].calls != points[next + 1].calls) {
      ++next;
    }
    if (points[next].calls != level) {
      ChangePoint step;
      step.last_before = points[last].release;
      step.at = step.first_after = points[next].release;
      step.confirmed = next + 1 < points.size();
      step.before = level;
      step.after = points[next].calls;
      step.strength = std::numeric_limits<double>::infinity();
      steps.push_back(step);
    }
    last = next;
    i = next + 1;
  }
  return steps;
}

std::vector<Scatter> EstimateScatter(absl::Span<const std::vector<TimePoint>> series) {
  std::vector<double> variations;  // squared coefficients of variation beyond Poisson
  for (const std::vector<TimePoint>& points : series) {
    const double mean = MeanSamples(points);
    if (mean < kEnoughSamples || points.size() < 2 * kShortestLevel) continue;
    variations.push_back(std::max(0.0, OwnDispersion(points) - 1) / mean);
  }
  const double typical = variations.size() < kEnoughSeries ? kAssumedVariation * kAssumedVariation
                                                           : Median(std::move(variations));
  std::vector<Scatter> scatters;
  for (const std::vector<TimePoint>& points : series) {
    const double expected = 1 + typical * MeanSamples(points);
    const double differences = points.empty() ? 0 : static_cast<double>(points.size() - 1);
    const double df = kDfPerDifference * differences;
    Scatter scatter;
    scatter.df = df + kTypicalDf;
    scatter.dispersion =
        std::max(1.0, (df * OwnDispersion(points) + kTypicalDf * expected) / scatter.df);
    scatters.push_back(scatter);
  }
  return scatters;
}

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
    const size_t begin = cuts[i - 1], end = cuts[i + 1];
    const double best = segments.Cost(begin, cuts[i]) + segments.Cost(cuts[i], end);
    size_t low = cuts[i], high = cuts[i];
    for (size_t cut = begin + 1; cut < end; ++cut) {
      if (segments.Cost(begin, cut) + segments.Cost(cut, end) > best + kLocationDrop) continue;
      low = std::min(low, cut);
      high = std::max(high, cut);
    }
    ChangePoint change;
    change.last_before = segments[low - 1].release;
    change.at = segments[cuts[i]].release;
    change.first_after = segments[high].release;
    change.before = segments.Rate(begin, cuts[i]);
    change.after = segments.Rate(cuts[i], end);
    change.strength =
        std::fabs(segments.Effect(begin, cuts[i], end)) / segments.Error(begin, cuts[i], end);
    found.push_back(change);
  }
  return found;
}

std::vector<ChangePoint> FindVaryingCountSteps(absl::Span<const CountPoint> points,
                                               const ChangePointOptions& options) {
  // A count is a sample of itself, of whatever dispersion its neighbours show.
  std::vector<TimePoint> samples;
  for (const CountPoint& point : points) samples.push_back({point.release, point.calls, 1});
  Scatter scatter;
  scatter.dispersion =
      std::max({OwnDispersion(samples), TrimmedDispersion(samples), 1e-9,
                kLeastCountVariation * kLeastCountVariation * MeanSamples(samples)});
  scatter.df = std::max(3.0, kDfPerDifference * static_cast<double>(points.size()));
  return FindTimeSteps(samples, scatter, options);
}

}  // namespace gprofhub::reporter
