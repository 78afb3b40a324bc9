// Another build places functions and data at other addresses. Then loops hit other cache lines and
// branch slots, and take some percent longer or shorter, in all runs of that build. Runs of one
// build never show that. Functions with the same code and calls on both sides do: this is their
// only true change, except for a few that work on other data. So
//
//   effect ~ N(0, standard error² + τ²)
//
// and τ² is chosen so that the median of effect² / (standard error² + τ²) is that of a squared
// normal variable. The median is robust against the few true changes. This is the empirical null of
// Efron ("Large-scale simultaneous hypothesis testing: the choice of a null hypothesis", 2004), as
// one number.
#include "reporter/times/build_variance.h"

#include <utility>

#include "base/median.h"
#include "reporter/times/machine_speed.h"

namespace gprofhub::reporter {
namespace {

// Median of the square of a standard normal variable.
constexpr double kMedianOfSquare = 0.4549;
// Upper bound of τ. Beyond it, something else differs.
constexpr double kMost = 0.2;

// A function whose time can differ only because the builds do.
bool IsControl(const TimeTest& test) {
  const bool is_same =
      test.evidence == TimeEvidence::kSame || test.evidence == TimeEvidence::kReached;
  const double runs = static_cast<double>(test.before_runs + test.after_runs);
  return is_same && test.before_samples + test.after_samples >= kEnoughSamples * runs;
}

double MedianSquare(const std::vector<const TimeTest*>& controls, double variance) {
  std::vector<double> squares;
  for (const TimeTest* test : controls) {
    squares.push_back(test->effect * test->effect / (test->error.Variance() + variance));
  }
  return base::Median(std::move(squares));
}

}  // namespace

std::optional<double> EstimateBuildVariance(const std::vector<TimeTest*>& tests) {
  std::vector<const TimeTest*> controls;
  for (const TimeTest* test : tests) {
    if (IsControl(*test)) controls.push_back(test);
  }
  if (controls.size() < kEnoughFunctions) return std::nullopt;
  if (MedianSquare(controls, 0) <= kMedianOfSquare) return 0;
  double low = 0, high = kMost * kMost;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (MedianSquare(controls, middle) > kMedianOfSquare ? low : high) = middle;
  }
  return high;
}

}  // namespace gprofhub::reporter
