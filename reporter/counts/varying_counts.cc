// A varying count does so by ratios (retries, spinning, a larger hash table), with occasional
// outliers. So counts are compared as logarithms, and runs are modelled by Student's t-distribution
// with four degrees of freedom: its heavy tails limit the influence of an outlier on the location
// (Lange, Little and Taylor, "Robust Statistical Modeling Using the t Distribution", 1989).
// Location and spread are fitted by expectation-maximization: each run weighs
//
//   w = (ν + 1) / (ν + (distance from the location / spread)²)
//
// and both are weighted means; the spread is common to both sides. The unit is a run: its
// executions share a machine and a moment, and only their sum is known.
//
// The fit starts from the median absolute deviation, which is a prior worth three runs: otherwise
// one outlier among five would pass for the spread. Few runs estimate their spread badly, and two
// may agree by chance. So the target's usual spread fills up the runs to six.
//
// A whole number of calls cannot vary by less than one: so the spread is at
// least two calls.
#include "reporter/counts/varying_counts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/median.h"

namespace gprofhub::reporter {
namespace {

constexpr double kTail = 4;  // ν
constexpr double kEnoughFreedom = 4;
constexpr double kHold = 3;
// Minimum spread, and the spread that is assumed if nothing is known.
constexpr double kLeastSpread = 0.01;
constexpr double kGuessedSpread = 0.08;
constexpr size_t kGuesses = 3;
// Median absolute deviation → standard deviation of a normal distribution.
constexpr double kMedianDistance = 1.4826;
constexpr int kMostSteps = 50;
constexpr double kPrecise = 1e-9;
constexpr double kCallsOfDoubt = 2;

using Sides = std::array<absl::Span<const double>, 2>;

double MedianOf(absl::Span<const double> values) {
  return base::Median(std::vector<double>(values.begin(), values.end()));
}

double MeanCount(const Sides& sides) {
  double sum = 0;
  for (const absl::Span<const double> side : sides) {
    for (const double run : side) sum += FromLogCount(run);
  }
  return sum / static_cast<double>(sides[0].size() + sides[1].size());
}

}  // namespace

double LogCount(double count) { return std::log1p(count); }
double FromLogCount(double log_count) { return std::expm1(log_count); }

std::optional<double> MedianSpread(absl::Span<const double> before,
                                   absl::Span<const double> after) {
  std::vector<double> distances;
  for (const absl::Span<const double> side : {before, after}) {
    if (side.size() < 2) continue;
    const double middle = MedianOf(side);
    for (const double run : side) distances.push_back(std::fabs(run - middle));
  }
  if (distances.empty()) return std::nullopt;
  return kMedianDistance * base::Median(std::move(distances));
}

double UsualSpread(std::vector<double> spreads) {
  spreads.insert(spreads.end(), kGuesses, kGuessedSpread);
  std::sort(spreads.begin(), spreads.end());
  // The upper quartile.
  return std::max(kLeastSpread, spreads[(spreads.size() - 1) * 3 / 4]);
}

VaryingCounts FitVaryingCounts(absl::Span<const double> before, absl::Span<const double> after,
                               double usual_spread) {
  const Sides sides = {before, after};
  std::array<double, 2> middle = {MedianOf(before), MedianOf(after)};
  const double own = static_cast<double>(before.size() + after.size()) - 2;
  const double lacking = std::max(0.0, kEnoughFreedom - own);
  const double shown = MedianSpread(before, after).value_or(0);
  const double first_guess =
      std::max(kLeastSpread * kLeastSpread,
               (lacking * usual_spread * usual_spread + own * shown * shown) / (own + lacking));
  double variance = first_guess;
  for (int step = 0; step < kMostSteps; ++step) {
    double squares = (lacking + kHold) * first_guess;
    for (size_t side = 0; side < 2; ++side) {
      double weights = 0, sum = 0, weighted_squares = 0;
      for (const double run : sides[side]) {
        const double distance = run - middle[side];
        const double weight = (kTail + 1) / (kTail + distance * distance / variance);
        weights += weight;
        sum += weight * run;
        weighted_squares += weight * distance * distance;
      }
      middle[side] = sum / weights;
      squares += weighted_squares;
    }
    const double last = variance;
    variance = std::max(kLeastSpread * kLeastSpread, squares / (own + lacking + kHold));
    if (std::fabs(variance - last) <= kPrecise * last) break;
  }
  VaryingCounts fit;
  fit.before = middle[0];
  fit.after = middle[1];
  fit.spread = std::max(std::sqrt(variance), kCallsOfDoubt / (1 + MeanCount(sides)));
  fit.freedom = own + lacking;
  // Variance of the fitted location, relative to that of a mean.
  const double inefficiency = (kTail + 3) / (kTail + 1);
  fit.standard_error =
      fit.spread * std::sqrt(inefficiency * (1 / static_cast<double>(before.size()) +
                                             1 / static_cast<double>(after.size())));
  return fit;
}

double FreedomOfTails(size_t runs_before, size_t runs_after) {
  // A side's location moves far only if more than half of its runs are outliers.
  const size_t runs = std::min(runs_before, runs_after);
  return kTail * static_cast<double>(runs / 2 + 1);
}

}  // namespace gprofhub::reporter
