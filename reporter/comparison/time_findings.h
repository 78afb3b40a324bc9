// Selects the sampled times that changed and are news.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "proto/findings.pb.h"
#include "reporter/comparison/judge_calls.h"
#include "reporter/comparison/measure_times.h"
#include "reporter/comparison/moved_calls.h"
#include "reporter/comparison/pair_call_sites.h"

namespace gprofhub::reporter {

// Converts one tested time to a finding: its numbers, its confidence interval and its verdict.
// time_findings.cc adds explanations.

// The tested times of a target, and the inputs of findings about them. Keeps references.
struct JudgedTimes {
  const MatchedTarget& target;
  const TargetTimes& times;
  const TargetTotals& totals;
  const CallJudgement& calls;
  const TimeOptions& options;
};

// An unchanged or inconclusive time. A comparison has tens of thousands of them and shows few, so
// they become findings only when they are shown.
struct QuietTime {
  const FunctionTime* time = nullptr;                      // of JudgedTimes::times
  v1::Finding::Verdict verdict = v1::Finding::EQUIVALENT;  // or CANNOT_TELL
  double weight = 0;                                       // like Finding.weight
};

// Maximum number of reruns that are suggested to decide a time.
inline constexpr uint32_t kFewRuns = 3;

// nullopt if it changed, or kFewRuns more runs might show a material change.
std::optional<QuietTime> AsQuiet(const JudgedTimes& judged, const FunctionTime& time);

// Verdict of an unchanged time: EQUIVALENT or CANNOT_TELL.
v1::Finding::Verdict QuietVerdict(const TimeTest& test, const TimeModelOptions& options);

// Interval of the effect, in percent: low and high. Of a changed or equivalent time it is the 95%
// interval, otherwise the interval that decided (DecisionInterval).
std::pair<double, double> IntervalPercent(const TimeTest& test, const TimeModelOptions& options);

// The line at which the time changed (source_lines.cc).
v1::Site PlaceOfTime(const MatchedTarget& target, const FunctionTime& time);

// Without target and display names, and without an explanation.
v1::Finding DescribeTime(const JudgedTimes& judged, const FunctionTime& time);

// Self times of functions whose inlined functions changed, or among which calls moved.

// A function's self time includes that of functions inlined into it. If these differ between the
// sides, the total of all these functions decides whether anything changed. The same holds where
// counts show that one function became a part of another, in the source or by the compiler.
class InlinedTimes {
 public:
  // Keeps a reference to `target`.
  explicit InlinedTimes(const MatchedTarget& target);

  // Calls moved among these functions (reporter/comparison/moved_calls.h).
  void AddShift(const std::vector<uint32_t>& functions);

  // The functions among which this time was redistributed. Nothing if neither inlining nor calls
  // are known to differ, or if the total changed, too.
  std::optional<v1::Shift> Find(const FunctionTime& time) const;

 private:
  const MatchedTarget& target_;
  FunctionGroups groups_;
};

// Self time that only moved between neighbours: a caller, a callee, a function of the same file or
// class.

class MovedTimes {
 public:
  // Keeps references to both.
  MovedTimes(const MatchedTarget& target, const std::vector<FunctionTime>& self);

  // Functions among which calls moved (reporter/comparison/moved_calls.h) become neighbours; shifts
  // with a common function are merged.
  void AddShift(const std::vector<uint32_t>& functions);

  // The neighbours whose self times changed the other way. Nothing if they do not compensate for
  // the change of this self time.
  std::optional<v1::Shift> Find(const FunctionTime& time);

 private:
  void IndexNeighbours();
  std::vector<std::vector<uint32_t>> NeighboursOf(uint32_t function) const;
  std::optional<v1::Shift> FindAmong(const FunctionTime& time,
                                     const std::vector<uint32_t>& neighbours) const;

  const MatchedTarget& target_;
  absl::flat_hash_map<uint32_t, const FunctionTime*> self_;
  absl::flat_hash_map<uint32_t, size_t> shift_of_;  // by function: index into shifts_
  std::vector<std::vector<uint32_t>> shifts_;
  bool indexed_ = false;
  std::vector<std::vector<uint32_t>> by_neighbour_;
  absl::flat_hash_map<std::string, std::vector<uint32_t>> by_file_;
  absl::flat_hash_map<std::string, std::vector<uint32_t>> by_scope_;
};

// Standard error of TimeAfter - TimeBefore.
double StandardErrorOfChange(const TimeTest& test);

// The finding of the target's uncounted code, about the changed function that is the most likely
// reason, without target and display names. Nothing if that time did not change, or if no changed
// function can be the reason. `calls`: the target's findings about calls. The essay is in
// library_times.cc.
std::optional<v1::Finding> FindLibraryTime(const JudgedTimes& judged,
                                           absl::Span<const v1::Finding> calls);

// Where a material change of calls of the same direction began in the function of the library time,
// adds that time's share to the largest such finding, and marks the time as explained. `findings`:
// of one target.
void AddLibraryTimeToItsCalls(absl::Span<v1::Finding> findings);

struct TimesFound {
  std::vector<v1::Finding> findings;  // without target and display names
  std::vector<QuietTime> quiet;
};

// Findings of each function and metric that changed, or is large enough to be listed.
TimesFound FindTimes(const JudgedTimes& judged);

}  // namespace gprofhub::reporter
