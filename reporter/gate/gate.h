// Whether a report passes: one function for the check run, the comment and
// `gprofhub check`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "proto/findings.pb.h"
#include "reporter/findings/rerun_words.h"
#include "reporter/policy/policy.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// A finding that a rule gates. Pointers into the report and the gate.
struct GatedFinding {
  const v1::Finding* finding = nullptr;
  std::string rule;
  // Who said that it is all right; nothing: it fails the check.
  std::optional<store::AcknowledgementRecord> acknowledged;
  // Findings of one number tell of one cause (reporter/findings/causes.h).
  size_t cause = 0;
};

struct GateResult {
  enum class Conclusion {
    kPass,
    kFail,
    kNothingToCompare,  // the report has no base
    kIncomplete,        // nothing fails, but some tests were not compared
  };
  Conclusion conclusion = Conclusion::kPass;
  std::vector<GatedFinding> gated;  // in the report's order
  // Functions whose calls changed in tests without samples, where the rule has only a
  // share of CPU to judge by.
  size_t unsampled = 0;
  // Tests of both sides: all, and those that could not be compared.
  size_t tests = 0;
  std::vector<v1::NotCompared> not_compared;
  RerunCounts reruns;         // what more runs would decide
  std::string rerun_command;  // that lists it
};

// What a check says of one cause.
struct GatedCause {
  // The first finding that fails, or where none does, the first.
  const GatedFinding* shown = nullptr;
  // Further functions of the cause, gated or following.
  size_t with_it = 0;
  // Targets beside the shown finding's in which it is gated, too.
  size_t other_targets = 0;
};

// Only causes are gated: no finding that follows from another one or is explained
// by it, and none in the test's own code, which the pull request means to change
// when it changes the test: a function that is called more often from there and from
// elsewhere counts without what comes from there. The first acknowledgement that covers a finding,
// is of this pull request or of all, and has not expired counts; those of the policy come first.
// One that is of this pull request also covers what has the same cause in the same target.
GateResult JudgeGate(const v1::Report& report, const Policy& policy,
                     const std::vector<store::AcknowledgementRecord>& acknowledgements,
                     absl::string_view pull_request, absl::Time now);

// One entry for each cause, in the report's order. The pointers are into the gate.
std::vector<GatedCause> GatedCauses(const GateResult& gate);

// ", and 11 that follow from it, also in 2 other tests", or nothing.
std::string WithItWords(const GatedCause& cause);

// Whether the acknowledgement is about the function and target. It names the function as a linkage
// or displayed name, or as a comment shows it, shortened.
bool Covers(const store::AcknowledgementRecord& acknowledgement, absl::string_view function,
            absl::string_view function_display, absl::string_view target);

// Whether the report has a change worth a comment: one that began where it is
// found and stands for at least policy.comment_above_percent of a test's CPU; of its
// calls, where no CPU was sampled.
bool HasMaterialChange(const v1::Report& report, const Policy& policy);

// "2 changes fail the check, 1 acknowledged, 3 cannot be judged: no CPU was sampled", one
// line without names. A change is a cause.
std::string GateHeadline(const GateResult& gate);

// The headline and what more runs would decide, in a line for who sees no more than that: "no
// change fails the check; 4 tests would be decided by up to 3 more runs: gprofhub rerun-list 12".
std::string CheckTitle(const GateResult& gate);

}  // namespace gprofhub::reporter
