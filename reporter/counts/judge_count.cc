// Counts that repeat are compared as fractions of integers: any difference is real. That a count
// repeats needs evidence: two runs of one side agree (a count of 0 is not evidence), or older runs
// do (count_history.cc), or the executions of a run do. The analysis keeps only the sum over
// executions, which may be divisible by chance. So executions are evidence only if those of the
// whole target agree. Without evidence a difference is reported as based on one run per side. Most
// counts repeat, so it usually is real.
//
// Counts that vary between executions of one program (hashes of addresses, races, the clock) are
// compared as measurements (varying_counts.cc). The baseline window is the runs of the base and the
// nearest older ones, up to five. Many such counts are tested, so a change needs a significance of
// 1 in 10,000 and an effect size of 5%. If a side has few runs, it must also exceed the largest
// outlier of all known runs: an outlier can recur.
#include "reporter/counts/judge_count.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

#include "absl/types/span.h"
#include "reporter/matching/same_ratio.h"

namespace gprofhub::reporter {
namespace {

constexpr double kUnlikely = 1e-4;
constexpr double kMinimumEffect = 0.05;
// Size of the baseline window, in runs.
constexpr size_t kNearest = 5;
// With this number of runs per side, not all of them can be outliers.
constexpr size_t kManyRuns = 4;
// By this factor a single run must exceed the largest known outlier.
constexpr double kFarther = 1.5;
constexpr double kLargestLog = 50;

bool SeenToRepeat(const SideCount& side) {
  return side.count->sum > 0 && (side.runs > 1 || side.steady || side.count->repeated_in_history);
}

// Of each run, older ones included.
std::vector<double> LogCountsOf(const SideCount& side) {
  const std::vector<double>& by_run = side.count->by_run;
  if (by_run.empty()) return std::vector<double>(side.runs, LogCount(side.PerExecution()));
  std::vector<double> counts;
  for (const double each : by_run) counts.push_back(LogCount(each));
  return counts;
}

struct Runs {
  std::vector<double> before, after;
  absl::Span<const double> near;  // of `before`: the base's own, and older ones up to five

  Runs(const SideCount& base, const SideCount& head)
      : before(LogCountsOf(base)), after(LogCountsOf(head)) {
    near = absl::MakeSpan(before).first(std::min(before.size(), std::max(base.runs, kNearest)));
  }
};

double Farthest(absl::Span<const double> runs, double middle) {
  double farthest = 0;
  for (const double run : runs) farthest = std::max(farthest, std::fabs(run - middle));
  return farthest;
}

// Whether the typical counts differ by more than single runs deviate.
bool BeyondAnyRun(const Runs& runs, const VaryingCounts& fit) {
  if (std::min(runs.near.size(), runs.after.size()) >= kManyRuns) return true;
  const double strayed =
      std::max(Farthest(runs.before, fit.before), Farthest(runs.after, fit.after));
  return std::fabs(fit.after - fit.before) > (runs.after.size() == 1 ? kFarther : 1) * strayed;
}

void JudgeVarying(const SideCount& before, const SideCount& after, double usual_spread,
                  CountChange& change) {
  const Runs runs(before, after);
  if (runs.near.size() + runs.after.size() < 3) {
    // One run per side, whose executions differ: the spread is unknown.
    if (change.before != change.after) change.answer = CountAnswer::kCannotTell;
    change.low_percent = -100;
    change.high_percent = std::expm1(kLargestLog);
    return;
  }
  const VaryingCounts fit = FitVaryingCounts(runs.near, runs.after, usual_spread);
  change.before = FromLogCount(fit.before);
  change.after = FromLogCount(fit.after);
  const boost::math::students_t_distribution<double> student(
      std::min(fit.freedom, FreedomOfTails(runs.near.size(), runs.after.size())));
  const double effect = fit.after - fit.before;
  const double width =
      boost::math::quantile(boost::math::complement(student, 0.025)) * fit.standard_error;
  change.low_percent = std::expm1(effect - width) * 100;
  change.high_percent = std::expm1(std::min(kLargestLog, effect + width)) * 100;
  const double t = std::fabs(effect) / fit.standard_error;
  const bool unlikely = 2 * boost::math::cdf(boost::math::complement(student, t)) < kUnlikely;
  const double least = std::log1p(kMinimumEffect);
  if (unlikely && std::fabs(effect) >= least && BeyondAnyRun(runs, fit)) {
    change.answer = CountAnswer::kChanged;
  } else if (std::max(std::fabs(effect - width), std::fabs(effect + width)) <= least) {
    change.answer = CountAnswer::kEquivalent;
  } else {
    change.answer = CountAnswer::kCannotTell;
  }
}

}  // namespace

CountChange JudgeCount(const SideCount& before, const SideCount& after, double usual_spread) {
  CountChange change;
  change.before = before.PerExecution();
  change.after = after.PerExecution();
  if (!before.count->repeats || !after.count->repeats) {
    change.certainty = CountCertainty::kVaries;
    JudgeVarying(before, after, usual_spread, change);
    return change;
  }
  if (!SeenToRepeat(before) && !SeenToRepeat(after)) change.certainty = CountCertainty::kOneRun;
  if (!SameRatio(before.count->sum, before.repetitions, after.count->sum, after.repetitions)) {
    change.answer = CountAnswer::kChanged;
  }
  return change;
}

std::optional<double> SpreadOf(const SideCount& before, const SideCount& after) {
  const Runs runs(before, after);
  return MedianSpread(runs.near, runs.after);
}

}  // namespace gprofhub::reporter
