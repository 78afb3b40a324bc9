#include "reporter/times/effect_error.h"

#include <cmath>

namespace gprofhub::reporter {

double EffectError::Variance() const {
  double variance = 0;
  for (const Part& part : parts_) variance += part.weight * part.variance;
  return variance;
}

EffectError EffectError::With(double variance) const {
  EffectError both = *this;
  for (Part& part : both.parts_) part.variance += variance;
  return both;
}

double EffectError::UpperTail(double value) const {
  double tail = 0;
  for (const Part& part : parts_) {
    if (part.weight <= 0) continue;
    // Without any error every value is out of reach.
    const double errors = part.variance > 0 ? value / std::sqrt(2 * part.variance) : INFINITY;
    tail += part.weight * std::erfc(value == 0 ? 0 : errors) / 2;
  }
  return tail;
}

// The logarithm of the tail is nearly a decreasing parabola. So the secant through two values on
// either side of the target crosses close to it. If one side stays twice, its distance is halved:
// the Illinois variant of the false position method (Dowell and Jarratt, 1971), which takes a sixth
// of the time of bisection.
double EffectError::UpperQuantile(double tail) const {
  const double wanted = std::log(tail);
  const auto distance = [&](double value) { return std::log(UpperTail(value)) - wanted; };
  double low = 0, high = std::sqrt(Variance());
  if (high <= 0) return 0;
  double at_low = std::log(0.5) - wanted, at_high = distance(high);
  while (at_high > 0 && high < 1e9) {
    low = high;
    at_low = at_high;
    high *= 2;
    at_high = distance(high);
  }
  if (!std::isfinite(at_high)) return HalvedQuantile(tail, low, high);
  constexpr int kMostSteps = 100;
  int stayed = 0;  // above 0: the higher side stayed, below: the lower one
  for (int step = 0; step < kMostSteps && high - low > 1e-15 * high; ++step) {
    const double middle = (low * at_high - high * at_low) / (at_high - at_low);
    if (!(middle > low && middle < high)) break;
    const double at_middle = distance(middle);
    if (at_middle == 0) return middle;
    if (at_middle > 0) {
      low = middle;
      at_low = at_middle;
      if (stayed > 0) at_high /= 2;
      stayed = 1;
    } else {
      high = middle;
      at_high = at_middle;
      if (stayed < 0) at_low /= 2;
      stayed = -1;
    }
  }
  return std::fabs(at_low) < std::fabs(at_high) && low > 0 ? low : high;
}

// Bisection, for tails too small for a logarithm.
double EffectError::HalvedQuantile(double tail, double low, double high) const {
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (UpperTail(middle) > tail ? low : high) = middle;
  }
  return high;
}

}  // namespace gprofhub::reporter
