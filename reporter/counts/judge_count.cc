// Counts that repeat are compared as fractions of integers: any difference is
// real. Those that vary between executions of one program (hashes of addresses,
// races, the clock) are compared as measurements: Student's t on the runs' counts
// per execution with their pooled variance, to which runs of older commits add where
// they are what shows that the count varies. Many such counts are looked at, and
// what varies seldom varies as a bell curve: so a change must be unlikely by one in
// ten thousand, and at least 5%.
#include "reporter/counts/judge_count.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "reporter/matching/same_ratio.h"

namespace gprofhub::reporter {
namespace {

constexpr double kUnlikely = 1e-4;
constexpr double kMinimumEffect = 0.05;

// Sum of squares about the mean.
double Spread(const SideCount& side) {
  const double runs = static_cast<double>(side.runs);
  const double mean = side.PerExecution();
  return std::max(0.0, side.count->sum_of_squares - runs * mean * mean);
}

}  // namespace

CountChange JudgeCount(const SideCount& before, const SideCount& after) {
  CountChange change;
  if (before.count->repeats && after.count->repeats) {
    if (!SameRatio(before.count->sum, before.repetitions, after.count->sum, after.repetitions)) {
      change.answer = CountAnswer::kChanged;
    }
    return change;
  }
  change.exact = false;
  const double b = before.PerExecution();
  const double a = after.PerExecution();
  double df = static_cast<double>(before.runs + after.runs) - 2;
  double squares = Spread(before) + Spread(after);
  if (before.count->older_runs > 0) {
    // The base's own runs are among them.
    df = static_cast<double>(before.count->older_runs + after.runs) - 2;
    squares = before.count->older_squares + Spread(after);
  }
  if (df < 1 || b == 0) {
    // A single sum that its executions do not divide.
    change.answer = b == a ? CountAnswer::kSame : CountAnswer::kCannotTell;
    change.low_percent = -100;
    change.high_percent = 1e9;
    return change;
  }
  const double variance = squares / df;
  const double error = std::sqrt(
      variance * (1.0 / static_cast<double>(before.runs) + 1.0 / static_cast<double>(after.runs)));
  const boost::math::students_t_distribution<double> student(df);
  const double width = boost::math::quantile(boost::math::complement(student, 0.025)) * error;
  change.low_percent = (a - width - b) / b * 100;
  change.high_percent = (a + width - b) / b * 100;
  const double t = std::fabs(a - b) / std::max(error, 1e-300);
  const bool unlikely = 2 * boost::math::cdf(boost::math::complement(student, t)) < kUnlikely;
  if (unlikely && std::fabs(a - b) >= kMinimumEffect * b) {
    change.answer = CountAnswer::kChanged;
  } else if (std::max(std::fabs(change.low_percent), std::fabs(change.high_percent)) <=
             kMinimumEffect * 100) {
    change.answer = CountAnswer::kEquivalent;
  } else {
    change.answer = CountAnswer::kCannotTell;
  }
  return change;
}

}  // namespace gprofhub::reporter
