#include "reporter/history/level_starts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gprofhub::reporter {
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

}  // namespace gprofhub::reporter
