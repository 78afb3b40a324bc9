// Compares runs with their baseline: pure functions over values.
//
// What is compared, and by which rule:
// - Calls, of every function and on every arc, per execution of the target. Counts that repeat are
//   exact: any difference is real. See reporter/comparison/count_history.cc and judge_calls.cc.
// - Self and total time. Samples are counts with Poisson error; runs vary beyond it. See
//   time_model.cc and time_findings.cc, in reporter/comparison/.
// - Moved cost. See cost_shifts.cc and renames.cc.
// - Changes explained by another toolchain, and rewritten components: one finding each, with the
//   others folded under it. See toolchain_changes.cc and rewrites.cc in reporter/comparison/.
//
// Rank: material changes that began here (calls and self times), total times without a cause below,
// side effects and changes explained by a finding above, changes that are not material, moved cost,
// inconclusive, equivalent. Within each class the functions are sorted: costs before savings, then
// by the change's share of the target's CPU (Finding.impact). A function's findings stay together,
// the arcs to blame first.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/memory_budget.h"
#include "proto/findings.pb.h"
#include "reporter/comparison/choose_reruns.h"
#include "reporter/comparison/judge_calls.h"
#include "reporter/comparison/measure_times.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {

// Of the times that did not change, so many are findings unless all are requested.
inline constexpr size_t kQuietTimes = 1000;

struct CompareOptions {
  TimeOptions time;
  // A change with at least this share of a target's CPU is material.
  double minimum_impact = kLeastCpuShare;
  // How many of the unchanged and inconclusive times are findings, too: the most important ones.
  size_t most_quiet_times = std::numeric_limits<size_t>::max();
};

// Findings in rank order. Targets of one side only are listed in `compared` and not judged. The
// caller fills in compared.baseline_reason, .configuration, .cached_targets and .unchanged_targets.
v1::Report CompareSides(const ComparisonSide& base, const ComparisonSide& head,
                        const CompareOptions& options);

// Both sides of one target. `about` is not read.
struct SidesOfTarget {
  ComparisonSide base;
  ComparisonSide head;
  base::Reservation memory = {};  // held by the profiles
};

// Metadata of both sides, without their targets.
struct AboutSides {
  v1::Compared::Side base;
  v1::Compared::Side head;
};

// Like CompareSides, for targets that `read` supplies, in two threads. A target's profiles are
// released once they are matched, so memory grows with the functions of the targets and not with
// their runs. `labels` are those of either side. Returns the first error of `read`.
absl::StatusOr<v1::Report> CompareTargets(
    const std::vector<std::string>& labels, const AboutSides& about,
    const std::function<absl::StatusOr<SidesOfTarget>(const std::string& label)>& read,
    const CompareOptions& options);

// Marks findings that a test's own code or input is to blame for.

// The test's own code in one target.
class TestCode {
 public:
  // Keeps references to `target`. A Bazel label shows that the program is a test.
  TestCode(const MatchedTarget& target, absl::string_view label);

  // Whether the file is the test's own: by its name, or because it defines the test's bodies, or
  // the main function of a program whose other code is mostly elsewhere.
  bool Owns(absl::string_view file) const;

  // Sets Finding.in_test and test_input of all findings of the target. For the calls of a function
  // as a whole, the arcs decide on which the change began: a library function that only a test
  // calls more often did not change.
  void Mark(absl::Span<v1::Finding> findings) const;

  // The same of a finding about a time that does not alarm.
  void MarkTime(v1::Finding& finding) const;

 private:
  bool OnlyInputChanged(absl::Span<const v1::Finding> findings) const;

  absl::flat_hash_set<absl::string_view> files_;      // the test's own
  absl::flat_hash_set<absl::string_view> functions_;  // of these files
  absl::flat_hash_set<absl::string_view> changed_;    // functions whose code changed
  // Of these, with the file of inlined code: the calls there stand at the same lines on both sides.
  absl::flat_hash_set<std::pair<absl::string_view, absl::string_view>> kept_inline_;
  bool only_test_changed_ = false;
};

// Warnings about counts that vary by chance: where the variation begins.

// Adds a warning with the functions whose calls vary from run to run, each once for all targets,
// and one with those whose calls repeated until now.
void NoteVaryingCounts(const std::vector<v1::Finding>& findings, v1::Report& report);

// Detects source files of tests.

// Whether the code at `file` is a test's own, by naming conventions of test files and directories.
bool IsTestFile(absl::string_view file);

// Relevance of call changes in tests of a few milliseconds.

// One judged target.
struct JudgedTarget {
  const std::string* label = nullptr;
  const MatchedTarget* matched = nullptr;
  TargetTotals totals;
  double samples_per_second = 0;                 // 0: not sampled in seconds
  std::vector<v1::Finding>* findings = nullptr;  // of its calls
};

// Sets impact and material of the findings in targets with few samples (TargetTotals::IsTiny). In a
// target without samples, only if another target has some.
void JudgeTinyTargets(const std::vector<JudgedTarget>& targets, double minimum_impact);

}  // namespace gprofhub::reporter
