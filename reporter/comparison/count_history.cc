// A count is *exact* if the same program with the same inputs repeats it. History shows that it is
// not if runs differ that should agree:
//
// - executions of one run, or runs of one commit, differ;
// - runs of one test binary change their count more than once: once may be a data file that the
//   test reads;
// - over six runs or more it changes at more than half of the commits, and reverses at a third of
//   those or more. A count that grows as tests are added changes often, but keeps its direction;
//   one that depends on addresses, races or the clock does not.
//
// Such a count is compared as a measurement (reporter/comparison/count_history.cc), and its older
// runs show by how much it varies.
//
// History can also show that a count repeats, which a single run of the base cannot: most runs have
// the count of the run before them. A commit may change it now and then.
//
// Nothing of this is stored: it is derived from the stored runs and cannot contradict them.
#include "reporter/comparison/count_history.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "base/median.h"
#include "profile/names.h"
#include "reporter/comparison/pair_call_sites.h"

namespace gprofhub::reporter {

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

namespace {

constexpr double kTailFreedom = 4;  // ν
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
        const double weight = (kTailFreedom + 1) / (kTailFreedom + distance * distance / variance);
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
  const double inefficiency = (kTailFreedom + 3) / (kTailFreedom + 1);
  fit.standard_error =
      fit.spread * std::sqrt(inefficiency * (1 / static_cast<double>(before.size()) +
                                             1 / static_cast<double>(after.size())));
  return fit;
}

double FreedomOfTails(size_t runs_before, size_t runs_after) {
  // A side's location moves far only if more than half of its runs are outliers.
  const size_t runs = std::min(runs_before, runs_after);
  return kTailFreedom * static_cast<double>(runs / 2 + 1);
}

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
  change.confirmed = change.certainty == CountCertainty::kExact &&
                     (after.runs > 1 || after.steady || before.count->repeated_in_history);
  if (!SameRatio(before.count->sum, before.repetitions, after.count->sum, after.repetitions)) {
    change.answer = CountAnswer::kChanged;
  }
  return change;
}

std::optional<double> SpreadOf(const SideCount& before, const SideCount& after) {
  const Runs runs(before, after);
  return MedianSpread(runs.near, runs.after);
}

namespace {

constexpr size_t kEnoughRuns = 6;
// Number of agreeing runs after which a count that no longer repeats is reported.
constexpr size_t kEnoughToRepeat = 2;

// A function (without a caller) or an arc, by names without clone suffixes.
using Key = std::pair<absl::string_view, absl::string_view>;  // caller, callee

constexpr absl::string_view kNoCaller = "";

absl::string_view NameAtBase(const FunctionPair& function) {
  return profile::WithoutCloneSuffixes(
      function.renamed_from.empty() ? function.name : function.renamed_from,
      profile::CloneKinds::kAll);
}

// Each wanted key's calls in one run. `callees` has the second parts of the keys: it filters most
// functions out before the lookup.
void AddCounts(const profile::ComputedProfile& profile,
               const absl::flat_hash_set<absl::string_view>& callees,
               absl::flat_hash_map<Key, uint64_t>& wanted) {
  std::vector<absl::string_view> names;
  std::vector<bool> is_callee;
  names.reserve(profile.functions.size());
  is_callee.reserve(profile.functions.size());
  for (const profile::FunctionCost& function : profile.functions) {
    names.push_back(
        profile::WithoutCloneSuffixes(profile.strings[function.name], profile::CloneKinds::kAll));
    is_callee.push_back(callees.contains(names.back()));
    if (!is_callee.back()) continue;
    const auto found = wanted.find({kNoCaller, names.back()});
    if (found != wanted.end()) found->second += function.calls + function.self_calls;
  }
  for (const profile::ArcCost& arc : profile.arcs) {
    if (!is_callee[arc.callee]) continue;
    const absl::string_view caller =
        arc.caller < names.size() ? names[arc.caller] : profile::kSpontaneousName;
    const auto found = wanted.find({caller, names[arc.callee]});
    if (found != wanted.end()) found->second += arc.count;
  }
}

bool ChangesMoreThanOnce(const std::vector<double>& counts) {
  size_t changes = 0;
  for (size_t i = 1; i < counts.size(); ++i) changes += counts[i] != counts[i - 1];
  return changes > 1;
}

bool JumpsAbout(absl::Span<const CountInRun> runs) {
  if (runs.size() < kEnoughRuns) return false;
  size_t changes = 0, turns = 0;
  double last = 0;  // the last change
  for (size_t i = 1; i < runs.size(); ++i) {
    const double change = runs[i].each - runs[i - 1].each;
    if (change == 0) continue;
    ++changes;
    turns += last * change < 0;
    last = change;
  }
  return changes * 2 > runs.size() && turns * 3 >= changes;
}

void Note(const std::vector<CountInRun>& runs, Count& before, Count& after) {
  if (Varies(runs)) {
    before.repeats = false;
    before.by_run.clear();
    for (const CountInRun& run : runs) before.by_run.push_back(run.each);
    return;
  }
  before.repeated_in_history = Repeats(runs);
  if (before.repeats && !after.repeats && runs.size() >= kEnoughToRepeat) {
    after.repeated_before = true;
  }
}

bool WorthALook(const Count& before, const Count& after, const MatchedTarget& target) {
  return !before.repeats || !after.repeats ||
         !SameRatio(before.sum, target.repetitions_before, after.sum, target.repetitions_after);
}

}  // namespace

bool Varies(absl::Span<const CountInRun> runs) {
  std::map<absl::string_view, double> of_commit;
  std::map<absl::string_view, std::vector<double>> of_binary;
  for (const CountInRun& run : runs) {
    if (!run.repeats) return true;
    if (of_commit.try_emplace(run.commit, run.each).first->second != run.each) return true;
    if (!run.binary.empty()) of_binary[run.binary].push_back(run.each);
  }
  for (const auto& [binary, counts] : of_binary) {
    if (ChangesMoreThanOnce(counts)) return true;
  }
  return JumpsAbout(runs);
}

bool Repeats(absl::Span<const CountInRun> runs) {
  size_t same = 0, changes = 0;
  for (size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].each != runs[i - 1].each) {
      ++changes;
    } else if (runs[i].each > 0) {
      ++same;
    }
  }
  return same > changes;
}

void ApplyCountHistory(absl::Span<const CountedRun> runs, MatchedTarget& target) {
  if (runs.size() < 2) return;
  struct Watched {
    Key key;
    Count* before;
    Count* after;
    std::vector<CountInRun> runs;
  };
  std::vector<Watched> watched;
  for (FunctionPair& function : target.functions) {
    FunctionSide& before = function.before;
    FunctionSide& after = function.after;
    if (!before.present() || !WorthALook(before.calls, after.calls, target)) continue;
    watched.push_back({{kNoCaller, NameAtBase(function)}, &before.calls, &after.calls, {}});
  }
  for (ArcPair& arc : target.arcs) {
    if (!arc.before.present || !WorthALook(arc.before, arc.after, target)) continue;
    const absl::string_view caller = arc.caller == kSpontaneous
                                         ? profile::kSpontaneousName
                                         : NameAtBase(target.functions[arc.caller]);
    const absl::string_view callee = NameAtBase(target.functions[arc.callee]);
    watched.push_back({{caller, callee}, &arc.before, &arc.after, {}});
  }
  if (watched.empty()) return;
  absl::flat_hash_set<absl::string_view> callees;
  for (const Watched& one : watched) callees.insert(one.key.second);
  for (const CountedRun& run : runs) {
    absl::flat_hash_map<Key, uint64_t> counts;
    for (const Watched& one : watched) counts.try_emplace(one.key, 0);
    AddCounts(*run.profile, callees, counts);
    const uint64_t repetitions = run.profile->repetitions == 0 ? 1 : run.profile->repetitions;
    for (Watched& one : watched) {
      const uint64_t count = counts.at(one.key);
      one.runs.push_back({run.commit, run.binary,
                          static_cast<double>(count) / static_cast<double>(repetitions),
                          count % repetitions == 0});
    }
  }
  for (Watched& one : watched) Note(one.runs, *one.before, *one.after);
}

}  // namespace gprofhub::reporter
