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
#include <limits>
#include <map>
#include <utility>

#include "base/median.h"

namespace gprofhub::reporter {

// Exact counts. Each difference is real. The remaining question is whether it persisted.
//
// At a step the count differs from the level before, and the next release has the new count, too. A
// count that returns at once was an outlier. Releases between the levels may have neither count;
// then the step lies somewhere among them. A difference at the newest release is unconfirmed.
//
// Some series are not exact: a hash of addresses, a race, the clock. There are four signs of that:
// - executions of one release disagree;
// - the count changes at more than half of the releases;
// - more than a fifth of the releases are outliers;
// - a level is left and returned to twice.

bool MoveToPossible(const std::function<bool(size_t release)>& may_begin, ChangePoint& change) {
  const auto distance = [at = change.at](size_t release) {
    return release < at ? at - release : release - at;
  };
  std::vector<size_t> possible;
  for (size_t release = change.last_before + 1; release <= change.first_after; ++release) {
    if (may_begin(release)) possible.push_back(release);
  }
  if (possible.empty()) return false;
  change.at = *std::min_element(possible.begin(), possible.end(), [&distance](size_t a, size_t b) {
    return distance(a) < distance(b);
  });
  change.first_after = possible.back();
  return true;
}

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
  size_t last = 0;  // of the current level
  for (size_t i = 1; i < points.size();) {
    const double level = points[last].calls;
    // The first count that persists. It may be the old one.
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

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Tolerance for rounding errors in cost differences.
constexpr double kSlack = 1e-10;
constexpr int kSteps = 2;
constexpr double kInner = 0.99;
constexpr std::pair<double, double> kNone = {1, 0};

// Below this, bounds without a logarithm are nearly as tight as the roots, and suffice for most
// pairs of starts. Above, they would keep too many starts.
constexpr double kSmall = 0.5;

// The root above 1 of u - 1 - log(u) = w, from above. Starts at the root of a bound; Newton's steps
// stay on its side, because the function is convex.
double UpperRoot(double w) {
  double u = 1 + w + std::sqrt(w * w + 2 * w);
  for (int i = 0; i < kSteps && u > 1; ++i) u -= (u - 1 - std::log(u) - w) / (1 - 1 / u);
  return u;
}

// The root below 1, from below.
double LowerRoot(double w) {
  double u = std::exp(-w - std::sqrt(2 * w));
  for (int i = 0; i < kSteps && u < 1 && u > 0; ++i) u -= (u - 1 - std::log(u) - w) / (1 - 1 / u);
  return std::max(0.0, u);
}

struct Rates {
  // An earlier start costs at most as much as a later one only within `at_most`, and certainly
  // within `at_least`.
  std::pair<double, double> at_most = kNone;
  std::pair<double, double> at_least = kNone;
};

// For w below 1/2. With s² = 2w, u - 1 - log(u) is at least w at 1 - s and at 1 + w + √(w² + 2w),
// and at most w at 1 - s / (1 + s) and at 1 + s, by the series of the logarithm.
Rates CloseTo(double best, double w, double certain_w) {
  Rates rates;
  rates.at_most = {best * (1 - std::sqrt(2 * w)), best * (1 + w + std::sqrt(w * w + 2 * w))};
  if (certain_w > 0) {
    const double s = kInner * std::sqrt(2 * certain_w);
    rates.at_least = {best * (1 - s / (1 + s)), best * (1 + s)};
  }
  return rates;
}

// Rates at which the earlier of two starts costs at most as much: a × rate − b × log(rate) + c <=
// 0.
Rates RatesOfEarlier(const LevelStarts::Start& earlier, const LevelStarts::Start& later,
                     double dispersion) {
  const double a = 2 / dispersion * (later.exposure - earlier.exposure);
  const double b = 2 / dispersion * (later.samples - earlier.samples);
  const double c = earlier.cost - later.cost;
  const double slack = kSlack * (1 + std::abs(earlier.cost) + std::abs(later.cost));
  Rates rates;
  if (b <= 0) {
    if (c - slack <= 0) rates.at_most = {0, (slack - c) / a};
    if (c + slack < 0) rates.at_least = {0, -(c + slack) / a};
    return rates;
  }
  const double best = b / a;
  const double least = b - b * std::log(best) + c;
  if (least - slack > 0) return rates;
  const double w = (slack - least) / b;
  if (w < kSmall) return CloseTo(best, w, -(slack + least) / b);
  const double low = LowerRoot(w), high = UpperRoot(w);
  rates.at_most = {best * low, best * high};
  // A slightly smaller interval that is certain: verified by evaluating the cost.
  const auto is_less = [&](double u) { return least + slack + b * (u - 1 - std::log(u)) < 0; };
  const double inner_low = 1 - kInner * (1 - low), inner_high = 1 + kInner * (high - 1);
  if (is_less(inner_low) && is_less(inner_high)) {
    rates.at_least = {best * inner_low, best * inner_high};
  }
  return rates;
}

bool IsEmpty(const std::pair<double, double>& interval) { return interval.first > interval.second; }

std::pair<double, double> Common(const std::pair<double, double>& one,
                                 const std::pair<double, double>& other) {
  return {std::max(one.first, other.first), std::min(one.second, other.second)};
}

}  // namespace

void LevelStarts::Add(const Start& start, double dispersion) {
  Interval taken = kNone;  // an earlier start is better there
  for (Candidate& candidate : candidates_) {
    const Rates earlier = RatesOfEarlier(candidate.start, start, dispersion);
    for (Interval& rates : candidate.rates) rates = Common(rates, earlier.at_most);
    if (IsEmpty(taken)) {
      taken = earlier.at_least;
    } else if (!IsEmpty(Common(taken, earlier.at_least))) {
      taken = {std::min(taken.first, earlier.at_least.first),
               std::max(taken.second, earlier.at_least.second)};
    }
  }
  candidates_.erase(std::remove_if(candidates_.begin(), candidates_.end(),
                                   [](const Candidate& candidate) {
                                     return IsEmpty(candidate.rates[0]) &&
                                            IsEmpty(candidate.rates[1]);
                                   }),
                    candidates_.end());
  Candidate added = {start, {{0, kInfinity}, kNone}};
  if (!IsEmpty(taken)) {
    added.rates[0] = {0, taken.first};
    added.rates[1] = {taken.second, kInfinity};
  }
  candidates_.push_back(added);
  begins_.clear();
  for (const Candidate& candidate : candidates_) begins_.push_back(candidate.start.begin);
}

// The dispersion is estimated from the differences of neighbouring releases (von Neumann 1941),
// which are robust against steps. The median is used, since a few differences are steps. It is
// shrunk towards the typical value of all series at that number of samples. The shrinkage also
// yields the degrees of freedom of Student's t.

namespace {

constexpr double kAssumedVariation = 0.03;
constexpr double kEnoughMeanSamples = 20;
constexpr size_t kEnoughSeries = 5;
constexpr double kTypicalDf = 12;  // weight of the typical scatter
constexpr double kMedianChiSquare = 0.4549;
// Each point is in two differences. So the median of n differences is worth fewer degrees of
// freedom than n independent squares: this factor times n.
constexpr double kDfPerDifference = 0.3;
constexpr double kLeastCountVariation = 0.005;
constexpr size_t kFewestPoints = 4;

double MeanSamples(absl::Span<const TimePoint> points) {
  double sum = 0;
  for (const TimePoint& point : points) sum += point.samples;
  return points.empty() ? 0 : sum / static_cast<double>(points.size());
}

// Dispersion from neighbours' differences alone.
double OwnDispersion(absl::Span<const TimePoint> points) {
  std::vector<double> squares;
  for (size_t i = 1; i < points.size(); ++i) {
    squares.push_back(ScaledDifference(points[i - 1], points[i]));
  }
  return squares.empty() ? 1 : base::Median(std::move(squares)) / kMedianChiSquare;
}

// For series in which many neighbours are equal, so that the median is useless: a mean without the
// largest tenth, which are the steps.
double TrimmedDispersion(absl::Span<const TimePoint> points) {
  std::vector<double> squares;
  for (size_t i = 1; i < points.size(); ++i) {
    squares.push_back(ScaledDifference(points[i - 1], points[i]));
  }
  if (squares.size() < 2) return 0;
  std::sort(squares.begin(), squares.end());
  squares.resize(squares.size() - 1 - squares.size() / 10);
  double sum = 0;
  for (const double square : squares) sum += square;
  return sum / static_cast<double>(squares.size());
}

}  // namespace

double ScaledDifference(const TimePoint& a, const TimePoint& b) {
  // gap² / (rate × (1 / a.exposure + 1 / b.exposure)), multiplied out: with one division.
  const double scale = (a.samples + b.samples) * a.exposure * b.exposure;
  if (scale <= 0) return 0;
  const double gap = a.samples * b.exposure - b.samples * a.exposure;
  return gap * gap / scale;
}

std::vector<Scatter> EstimateScatter(absl::Span<const std::vector<TimePoint>> series) {
  std::vector<double> own, means;
  std::vector<double> variations;  // squared coefficients of variation beyond Poisson
  for (const std::vector<TimePoint>& points : series) {
    own.push_back(OwnDispersion(points));
    means.push_back(MeanSamples(points));
    if (means.back() < kEnoughMeanSamples || points.size() < kFewestPoints) continue;
    variations.push_back(std::max(0.0, own.back() - 1) / means.back());
  }
  const double typical = variations.size() < kEnoughSeries ? kAssumedVariation * kAssumedVariation
                                                           : base::Median(std::move(variations));
  std::vector<Scatter> scatters;
  for (size_t i = 0; i < series.size(); ++i) {
    const double expected = 1 + typical * means[i];
    const double differences = series[i].empty() ? 0 : static_cast<double>(series[i].size() - 1);
    const double df = kDfPerDifference * differences;
    Scatter scatter;
    scatter.df = df + kTypicalDf;
    scatter.dispersion = std::max(1.0, (df * own[i] + kTypicalDf * expected) / scatter.df);
    scatters.push_back(scatter);
  }
  return scatters;
}

Scatter ScatterOfCounts(absl::Span<const TimePoint> points) {
  Scatter scatter;
  scatter.dispersion =
      std::max({OwnDispersion(points), TrimmedDispersion(points), 1e-9,
                kLeastCountVariation * kLeastCountVariation * MeanSamples(points)});
  scatter.df = std::max(3.0, kDfPerDifference * static_cast<double>(points.size()));
  return scatter;
}

Segments::Segments(std::vector<TimePoint> points, const Scatter& scatter)
    : points_(std::move(points)), dispersion_(scatter.dispersion) {
  samples_.push_back(0);
  exposure_.push_back(0);
  for (const TimePoint& point : points_) {
    samples_.push_back(samples_.back() + point.samples);
    exposure_.push_back(exposure_.back() + point.exposure);
  }
}

double Segments::Cost(size_t begin, size_t end) const {
  const double samples = Samples(begin, end);
  if (samples <= 0) return 0;
  return -2 * samples * std::log(samples / Exposure(begin, end)) / dispersion_;
}

// Where the optimal partition may cut. Where it cuts, merging the two levels would cost more than a
// penalty, and so would giving both the rate of the whole series. So for each position the deviance
// of any segment that ends there, and of any that begins there, is bounded: if both together are
// less than the penalty, there is no cut. Most series have no change, and few positions are left.
//
// Segments are bounded in groups: all that begin in one block of positions and end in another one,
// 4 to 7 blocks later. Blocks of 2^k positions cover all lengths in linear time.

namespace {

constexpr size_t kNearBlocks = 4;
constexpr size_t kFarBlocks = 2 * kNearBlocks;
constexpr double kOfPenalty = 1 - 1e-6;  // a tolerance for rounding errors

// A block of positions: the range of their expected samples, and of the samples above those. Then
// the largest deviance of a segment that ends or begins in it.
struct Block {
  double first = 0, last = 0;
  double low = 0, high = 0;
  double ending = 0, beginning = 0;
};

// At least the deviance of all segments with `expected` samples or more, and up to these numbers of
// samples more or less than that, by x log(x) - x + 1 <= (x - 1)² / 2 × max(1, 2 - x).
double DevianceBound(double more, double less, double expected) {
  const double inverse = 1 / expected;
  return std::max(more * more, less * less * (1 + less * inverse)) * inverse;
}

void BoundSegments(size_t nearest, std::vector<Block>& blocks) {
  for (size_t i = nearest; i < blocks.size(); ++i) {
    Block& end = blocks[i];
    for (size_t apart = nearest; apart < kFarBlocks && apart <= i; ++apart) {
      Block& begin = blocks[i - apart];
      const double bound =
          DevianceBound(std::max(0.0, end.high - begin.low), std::max(0.0, begin.high - end.low),
                        end.first - begin.last);
      begin.beginning = std::max(begin.beginning, bound);
      end.ending = std::max(end.ending, bound);
    }
  }
}

std::vector<Block> Joined(const std::vector<Block>& blocks) {
  std::vector<Block> joined;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (i % 2 == 0) {
      joined.push_back({blocks[i].first, blocks[i].last, blocks[i].low, blocks[i].high});
    } else {
      joined.back().last = blocks[i].last;
      joined.back().low = std::min(joined.back().low, blocks[i].low);
      joined.back().high = std::max(joined.back().high, blocks[i].high);
    }
  }
  return joined;
}

// Bounds of all segments with at least `nearest` blocks between the positions.
void BoundAll(size_t nearest, std::vector<Block>& blocks) {
  BoundSegments(nearest, blocks);
  if (blocks.size() <= kFarBlocks) return;
  std::vector<Block> joined = Joined(blocks);
  BoundAll(kNearBlocks, joined);
  for (size_t i = 0; i < blocks.size(); ++i) {
    const Block& of = joined[i / 2];
    blocks[i].ending = std::max(blocks[i].ending, of.ending);
    blocks[i].beginning = std::max(blocks[i].beginning, of.beginning);
  }
}

}  // namespace

std::vector<size_t> Segments::PossibleCuts(double penalty) const {
  const size_t n = size();
  if (n < 2 * kShortestLevel || samples_[n] <= 0) return {};
  const double rate = Rate(0, n);
  std::vector<Block> blocks(n + 1);
  for (size_t i = 0; i <= n; ++i) {
    Block& block = blocks[i];
    block.first = block.last = rate * exposure_[i];
    block.low = block.high = samples_[i] - block.first;
  }
  BoundAll(kShortestLevel, blocks);
  std::vector<size_t> cuts;
  for (size_t i = kShortestLevel; i + kShortestLevel <= n; ++i) {
    const double deviance = (blocks[i].ending + blocks[i].beginning) / dispersion_;
    if (deviance >= kOfPenalty * penalty) cuts.push_back(i);
  }
  return cuts;
}

std::vector<size_t> Segments::Partition(double penalty) const {
  const size_t n = size();
  std::vector<size_t> positions = PossibleCuts(penalty);
  positions.insert(positions.begin(), 0);
  positions.push_back(n);
  std::vector<double> best(positions.size(), kInfinity);
  std::vector<size_t> last(positions.size(), 0);
  best[0] = -penalty;
  LevelStarts starts;
  size_t next = 0;
  for (size_t end = 1; end < positions.size(); ++end) {
    for (; positions[next] + kShortestLevel <= positions[end]; ++next) {
      // Constant terms of the cost are omitted.
      const size_t at = positions[next];
      starts.Add({next, exposure_[at], samples_[at], best[next] + 2 * samples_[at] / dispersion_},
                 dispersion_);
    }
    for (const size_t begin : starts.begins()) {
      const double cost = best[begin] + Cost(positions[begin], positions[end]) + penalty;
      if (cost < best[end]) {
        best[end] = cost;
        last[end] = begin;
      }
    }
  }
  std::vector<size_t> cuts = {n};
  for (size_t at = positions.size() - 1; positions[at] > 0;) {
    at = last[at];
    cuts.push_back(positions[at]);
  }
  std::reverse(cuts.begin(), cuts.end());
  return cuts;
}

double Segments::Effect(size_t begin, size_t cut, size_t end) const {
  return std::log((Samples(cut, end) + 0.5) / Exposure(cut, end)) -
         std::log((Samples(begin, cut) + 0.5) / Exposure(begin, cut));
}

double Segments::Error(size_t begin, size_t cut, size_t end) const {
  return std::sqrt(dispersion_ * (1 / (Samples(begin, cut) + 0.5) + 1 / (Samples(cut, end) + 0.5)));
}

double Segments::LineGain(size_t begin, size_t cut, size_t end) const {
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
