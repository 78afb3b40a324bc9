// What a few more runs of the head would decide.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "profile/computed.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// How a target ran at the head.
struct HeadRuns {
  double seconds = 0;  // of CPU, of one run; 0 where nothing was sampled as time
  size_t runs = 0;     // repetitions within a run among them
};

HeadRuns HeadRunsOf(absl::Span<const profile::ComputedProfile> profiles);

// Sets Report.reruns and Compared.head_test_seconds. A target is listed, once, if
// - a change of calls would alarm, and one run of the head is all that shows it: one more run tells
//   whether it repeats;
// - a material count varies, so that nothing can be told, and the head has fewer than four runs:
//   up to four;
// - a time cannot be told, three or fewer runs would show it, and what it may have grown by is
//   material.
// What would alarm comes first, then what stands for more per second of running it.
// `head` has all targets of the head. `findings` are the report's, also such as it does not list.
void AddReruns(const std::map<std::string, HeadRuns>& head, absl::Span<const v1::Finding> findings,
               v1::Report& report);

// Which of a report's reruns are made within a budget, and which do not fit.
struct RerunPlan {
  std::vector<v1::Rerun> chosen;
  std::vector<v1::Rerun> left_out;
  double budget_seconds = 0;
};

// In the report's order, each if it still fits into `budget_percent` (above 0) of the time that the
// head's compared targets take. 0: all are chosen.
RerunPlan PlanReruns(const v1::Report& report, double budget_percent);

}  // namespace gprofhub::reporter
