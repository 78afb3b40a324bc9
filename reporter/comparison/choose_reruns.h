// What a few more runs of the head would decide.
#pragma once

#include <vector>

#include "proto/findings.pb.h"
#include "reporter/comparison/comparison_side.h"

namespace gprofhub::reporter {

// Sets Report.reruns and Compared.head_test_seconds. A target is listed, once, if
// - a change of calls would alarm, and one run of the head is all that shows it: one more run tells
//   whether it repeats;
// - a material count varies, so that nothing can be told, and the head has fewer than four runs:
//   up to four;
// - a time cannot be told, three or fewer runs would show it, and what it may have grown by is
//   material.
// What would alarm comes first, then what stands for more per second of running it.
void AddReruns(const ComparisonSide& head, v1::Report& report);

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
