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
    // No error at all exceeds nothing.
    const double errors = part.variance > 0 ? value / std::sqrt(2 * part.variance) : INFINITY;
    tail += part.weight * std::erfc(value == 0 ? 0 : errors) / 2;
  }
  return tail;
}

double EffectError::UpperQuantile(double tail) const {
  double low = 0, high = 1e-9;
  while (UpperTail(high) > tail && high < 1e9) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (UpperTail(middle) > tail ? low : high) = middle;
  }
  return high;
}

}  // namespace gprofhub::reporter
