// Compares a run with its baseline: pure functions over values.
//
// What is judged, and by which rule:
// - Calls, of every function and on every arc, per execution of the target.
//   Counts are exact: any difference is a finding. (A sum over several
//   repetitions that does not divide by their number did not repeat, so it is
//   not exact, and a difference in it is "cannot tell".) See call_changes.cc.
// - Self and total time of functions that stand for at least
//   CompareOptions::minimum_share of the target's samples, and minimum_samples
//   of them. Samples are counts with Poisson error. See time_changes.cc.
//
// Rank: first what began here (calls and self time), then total times, then
// functions that merely follow from a finding above, then calls that only come
// from elsewhere now, then "cannot tell", then "equivalent". Within that the
// functions, by the share of the target's CPU that their change stands for
// (Finding.impact), a function's findings side by side: the arcs to blame
// first.
#pragma once

#include <map>
#include <string>

#include "profile/computed.h"
#include "proto/findings.pb.h"

namespace gprofhub {

struct CompareOptions {
  // Sampled times: a change smaller than this is not called one.
  double minimum_effect_percent = 5;
  // Sampled times: by how many standard errors a change must stand out, and how
  // likely one false alarm in the whole comparison may be (Bonferroni over all
  // functions judged).
  double sigma = 3;
  double false_alarm_probability = 0.05;
  // Sampled times: functions below this share of the target's samples on both
  // sides are not judged.
  double minimum_share = 0.01;
  // … nor are those with fewer samples than this on both sides: nothing can be
  // told of them.
  double minimum_samples = 10;
};

struct ComparisonSide {
  v1::Compared::Side about;  // total_seconds is filled in by CompareRuns
  std::map<std::string, ComputedProfile> targets;
};

// All findings in rank order. Targets of one side only are named in `compared`
// and not judged. The caller fills in compared.baseline_reason, .configuration
// and .cached_targets.
v1::Report CompareRuns(const ComparisonSide& base, const ComparisonSide& head,
                       const CompareOptions& options);

// Keeps the first `limit` findings; says in warnings how many were left out.
void LimitFindings(v1::Report& report, size_t limit);

}  // namespace gprofhub
