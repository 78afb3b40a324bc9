// Selects targets of which a few more runs of the head would decide a finding.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "profile/computed.h"
#include "proto/findings.pb.h"

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
// - a material count varies, so that it is inconclusive, and the head has fewer than four runs: up
//   to four;
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

}  // namespace gprofhub::reporter
