// The error of an effect with uncertain variance: a mixture of normal distributions with mean zero.
// The weight of a part is the probability of its variance.
#pragma once

#include <array>
#include <cstddef>

namespace gprofhub::reporter {

class EffectError {
 public:
  static constexpr size_t kParts = 7;
  struct Part {
    double weight = 0;
    double variance = 0;
  };

  EffectError() = default;
  // With a known variance.
  explicit EffectError(double variance) : parts_{{{1, variance}}} {}
  // The weights add up to 1.
  explicit EffectError(const std::array<Part, kParts>& parts) : parts_(parts) {}

  const std::array<Part, kParts>& parts() const { return parts_; }
  double Variance() const;
  // The sum of this error and an independent one with the given variance.
  EffectError With(double variance) const;
  // Probability that the error exceeds `value`, which is positive.
  double UpperTail(double value) const;
  // The value that the error exceeds with probability `tail`, which is between 0 and 0.5.
  double UpperQuantile(double tail) const;

 private:
  double HalvedQuantile(double tail, double low, double high) const;

  std::array<Part, kParts> parts_{{{1, 0}}};
};

}  // namespace gprofhub::reporter
