// Decides whether a report passes: one function for the check run, the comment and `gprofhub
// check`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "proto/findings.pb.h"
#include "reporter/findings/diff_lines.h"
#include "reporter/gate/policy.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// Commands in comments:
//
//   /gprofhub ack FUNCTION reason…
//   /gprofhub not-a-regression FUNCTION reason…
//   /gprofhub rerun
//
// on a line of their own. A name with blanks is enclosed in backquotes.

struct AckCommand {
  std::string function;
  std::string reason;
  bool not_a_regression = false;
};

// The commands of a comment's body, in order. Malformed lines that begin with "/gprofhub" (without
// a reason, for example), quoted lines ("> …"), and lines of code blocks and HTML comments are
// ignored.
std::vector<AckCommand> ParseAckCommands(absl::string_view body);

// Whether a line of the body requests a rerun of the tests. More words may follow.
bool AsksForRerun(absl::string_view body);

// A finding that a rule gates. Points into the report and the gate.
struct GatedFinding {
  const v1::Finding* finding = nullptr;
  std::string rule;
  // The acknowledgement; nothing: it fails the check.
  std::optional<store::AcknowledgementRecord> acknowledged;
  // Findings with equal numbers have one cause (reporter/findings/findings.h).
  size_t cause = 0;
};

struct GateResult {
  enum class Conclusion {
    kPass,
    kFail,
    kNothingToCompare,  // the report has no base
    kIncomplete,        // no failure, but some tests were not compared
  };
  Conclusion conclusion = Conclusion::kPass;
  std::vector<GatedFinding> gated;  // in the report's order
  // Functions whose calls changed in tests without samples, if the rule has a threshold for CPU
  // only.
  size_t unsampled = 0;
  // Functions with an unconfirmed change, which more runs would decide.
  size_t unconfirmed = 0;
  // Tests of both sides: all, and those that could not be compared.
  size_t tests = 0;
  std::vector<v1::NotCompared> not_compared;
  RerunCounts reruns;         // tests that more runs would decide
  std::string rerun_command;  // that lists them
};

// One cause, as a check shows it.
struct GatedCause {
  // The first failing finding; without one, the first.
  const GatedFinding* shown = nullptr;
  // Further functions of the cause, gated or side effects.
  size_t with_it = 0;
  // Targets, other than the shown finding's, in which it is gated.
  size_t other_targets = 0;
};

// Only causes are gated. Excluded are side effects, findings explained by another one, and findings
// in the test's own code, which a change of the test changes on purpose. If a function's additional
// calls come from there and from elsewhere, the calls from the test are subtracted. The first
// acknowledgement that covers a finding, belongs to this pull request or to all, and has not
// expired applies; those of the policy come first. An acknowledgement of this pull request also
// covers findings with the same cause in the same target.
GateResult JudgeGate(const v1::Report& report, const Policy& policy,
                     const std::vector<store::AcknowledgementRecord>& acknowledgements,
                     absl::string_view pull_request, absl::Time now);

// One entry for each cause, in the report's order. The pointers are into the gate.
std::vector<GatedCause> GatedCauses(const GateResult& gate);

// ", and 11 that follow from it, also in 2 other tests", or nothing.
std::string WithItWords(const GatedCause& cause);

// Whether the acknowledgement is about the function and target. It names the function by linkage
// name, by demangled name, or shortened as in a comment.
bool Covers(const store::AcknowledgementRecord& acknowledgement, absl::string_view function,
            absl::string_view function_display, absl::string_view target);

// Whether the report has a change worth a comment: a cause with at least
// policy.comment_above_percent of a test's CPU; without samples, of its calls.
bool HasMaterialChange(const v1::Report& report, const Policy& policy);

// "2 changes fail the check, 1 acknowledged, 3 cannot be judged: no CPU was sampled", one line
// without names. A change is a cause.
std::string GateHeadline(const GateResult& gate);

// The headline and the tests that more runs would decide, in one line: "no change fails the check;
// 4 tests would be decided by up to 3 more runs: gprofhub rerun-list 12".
std::string CheckTitle(const GateResult& gate);

// Store records of gated findings.

// The record of one finding of the run: names are made printable and cut to the store's limits.
store::GatedRecord MakeGatedRecord(const store::RunRecord& run, const std::string& rule,
                                   const std::string& target, const std::string& function,
                                   const std::string& function_display);

// False alarm rates of the gate, from acknowledgements.

struct RuleStats {
  std::string rule;
  // Distinct (pull request, target, function).
  size_t gated = 0;
  size_t acknowledged = 0;      // accepted: real, intended or tolerated
  size_t not_a_regression = 0;  // false alarms

  // not_a_regression of all gated, 0 to 1; 0 if nothing was gated. A lower bound: false alarms need
  // not be reported.
  double false_alarm_rate() const {
    return gated == 0 ? 0 : static_cast<double>(not_a_regression) / static_cast<double>(gated);
  }
};

// By rule, in the order of their names. Expired acknowledgements count, too; "not a regression" has
// precedence over "accepted".
std::vector<RuleStats> MeasureRules(
    const std::vector<store::GatedRecord>& gated,
    const std::vector<store::AcknowledgementRecord>& acknowledgements);

}  // namespace gprofhub::reporter
