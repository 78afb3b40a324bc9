// The error of an effect whose variance is not quite known: a mixture of normal distributions about
// zero. Each of its variances is as likely as its weight says.
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
  // Of a variance that is known.
  explicit EffectError(double variance) : parts_{{{1, variance}}} {}
  // The weights are 1 in all.
  explicit EffectError(const std::array<Part, kParts>& parts) : parts_(parts) {}

  const std::array<Part, kParts>& parts() const { return parts_; }
  double Variance() const;
  // The same error and another one, independent of it, of a known variance.
  EffectError With(double variance) const;
  // How likely the error is larger than `value`, which is positive.
  double UpperTail(double value) const;
  // The value that the error exceeds with probability `tail`, which is between 0 and 0.5.
  double UpperQuantile(double tail) const;

 private:
  double HalvedQuantile(double tail, double low, double high) const;

  std::array<Part, kParts> parts_{{{1, 0}}};
};

}  // namespace gprofhub::reporter
