// Selects targets of which a few more runs of the head would decide a finding.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "profile/computed.h"
#include "proto/findings.pb.h"
#include "reporter/comparison/count_history.h"
#include "reporter/comparison/pair_call_sites.h"

namespace gprofhub::reporter {

// How often and how long a target ran at the head.
struct HeadRuns {
  double seconds = 0;  // of CPU, of one run; 0 if time was not sampled
  size_t runs = 0;     // including repetitions within a run
};

HeadRuns HeadRunsOf(absl::Span<const profile::ComputedProfile> profiles);

// Sets Report.reruns and Compared.head_test_seconds. A target is listed once, if
// - a change of calls would raise an alarm, and only one run of the head shows it: one more run
//   decides whether it repeats;
// - a material change is unconfirmed, and the head has fewer than four runs: one more if it has
//   one, else up to four. Of one function's changes, those of three targets;
// - the test became slower, no finding is the cause, and the head has fewer than four runs: up to
//   four;
// - a time is inconclusive, three or fewer runs would decide it, and the possible increase is
//   material. Possible alarms come first, then the largest share of CPU per second of running the
//   target. `head` has all targets of the head. `findings` are all of the report's, including those
//   it does not list.
void AddReruns(const std::map<std::string, HeadRuns>& head, absl::Span<const v1::Finding> findings,
               v1::Report& report);

// Which of a report's reruns are made within a budget, and which exceed it.
struct RerunPlan {
  std::vector<v1::Rerun> chosen;
  std::vector<v1::Rerun> left_out;
  double budget_seconds = 0;
};

// Takes reruns in the report's order, each if it still fits into `budget_percent` (above 0) of the
// time that the head's compared targets take. 0: takes all.
RerunPlan PlanReruns(const v1::Report& report, double budget_percent);

// One side of a comparison, as values.

struct ProfileOrigin {
  std::string commit;
  std::string binary;   // digest of the test's binary; empty: unknown
  std::string machine;  // kind of machine; empty: unknown
};

// The runs of one side, as repetitions of one measurement.
struct ComparisonSide {
  v1::Compared::Side about;  // times, executions and runs are filled in by CompareSides
  // By label; one profile per run, empty without a run.
  std::map<std::string, std::vector<profile::ComputedProfile>> targets;
  // Of a base: runs of older commits, nearest first (reporter/comparison/match_target.h).
  std::map<std::string, std::vector<profile::ComputedProfile>> window;
  // By label: origins of the target's profiles, then of its window's. Without them history is not
  // used for counts, and all machines count as one kind. Times from another kind of machine than
  // the head's are not compared.
  std::map<std::string, std::vector<ProfileOrigin>> origins;
};

// Selects the runs of a comparison that are evidence for counts, and those for times, which are
// comparable on one kind of machine only.

// The base's runs of the target, then those of its window, as far as their origins are known.
std::vector<CountedRun> HistoryOf(const ComparisonSide& base, const std::string& label);

// The kind of machine that the target's head ran on; empty: unknown.
absl::string_view HeadMachine(const ComparisonSide& head, const std::string& label);

// The window's profiles that were sampled like the base's, on its kind of machine: the span of
// `base` itself, or copies in `storage` if only some qualify. The base has the target.
absl::Span<const profile::ComputedProfile> ComparableWindow(
    const ComparisonSide& base, const std::string& label, absl::string_view machine,
    std::vector<profile::ComputedProfile>& storage);

// Removes the times of base runs on another kind of machine from the comparison. Returns the number
// of these runs.
size_t ForgetOtherMachines(const ComparisonSide& base, const std::string& label,
                           absl::string_view machine, MatchedTarget& matched);

// Warns of targets whose base ran on another kind of machine: those without any run on the head's
// kind, and those that are compared with older runs.
void NoteOtherMachines(size_t incomparable, size_t on_older_runs, v1::Report& report);

}  // namespace gprofhub::reporter
