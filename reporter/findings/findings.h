// Predicates and constants for findings (proto/findings.proto).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Groups findings by common cause.

// For each finding, in order: the index of the first finding with the same cause. A finding that is
// neither worse nor better is a group of its own.
std::vector<size_t> CausesOf(const v1::Report& report);

// Looks up a finding by its id.

// The finding of the report whose id (FindingId) is `id`, or the only one with that prefix.
// NOT_FOUND, or INVALID_ARGUMENT if `id` is malformed or ambiguous; both explain how to get an id.
absl::StatusOr<v1::Finding> FindFinding(const v1::Report& report, absl::string_view id);

// Short ids of findings, for people and commands.

// The first ten hexadecimal digits, in lower case, of the SHA-256 of target, metric, function and
// caller with NUL bytes between them. The metric is spelt as in JSON: "calls". A finding keeps its
// id from run to run, as long as its names stay.
std::string FindingId(const v1::Finding& finding);

// The role of a finding in its report: a cause, a side effect, moved cost.

// Sections of a report, in rank order (reporter/comparison/compare_sides.h).
enum class FindingKind {
  kCause,        // material change of calls or self time that began here
  kUnconfirmed,  // would be material, and the head's runs do not confirm it
  kTotalTime,    // self and inherited
  kFollower,     // side effect of another finding
  kMinor,        // changed here, not material
  kShifted,
  kFolded,  // under a finding about a toolchain, or a rewrite
  kCannotTell,
  kEquivalent,
  kChance,  // differs, and varies or no changed code can explain it
};

// The kinds of one report's findings, in their order.
std::vector<FindingKind> FindingKinds(const std::vector<v1::Finding>& findings);
std::vector<FindingKind> FindingKinds(const v1::Report& report);

// Keeps the first `most` findings of the report. A warning states how many were left out.
void LimitFindings(size_t most, v1::Report& report);

// That warning; none for 0.
void WarnOfUnlisted(size_t left_out, v1::Report& report);

// Sort key of findings: the share of the target's CPU, or, without samples, of its calls.
double RankingShare(const v1::Finding& finding);

// Effect on the test's CPU time, from 0 to 1, of either sign, for thresholds: as texts state it
// (Finding.test_effect), else the share. 0 where no share of CPU is known.
double CpuEffect(const v1::Finding& finding);

// Whether the finding summarises many functions: a toolchain change or a rewrite.
bool IsGroup(const v1::Finding& finding);
// Whether it does, without a material change of their time.
bool IsInconclusiveGroup(const v1::Finding& finding);

// Whether the finding is about an arc on which a change of its callee's calls began.
bool IsOrigin(const v1::Finding& finding);

// "file:line"; the file alone where the line is unknown, empty where the file is.
std::string PlaceOf(const v1::Site& site);

// The options of Bazel for a configuration such as "k8-opt-gprof_lines": the suffix of "--config="
// ("gprof" unless the name implies another mode) and "--compilation_mode=opt" (empty if the name
// does not include it).
struct BazelMode {
  std::string configuration;
  std::string compilation_mode;
};
BazelMode ModeOf(absl::string_view configuration);

// Whether its counts are allocated bytes, not calls (runtime/allocations).
bool CountsAllocatedBytes(const v1::Finding& finding);

// Whether its counts are bytes in use at the peak (runtime/memory).
bool CountsPeakBytes(const v1::Finding& finding);

// Whether its counts are bytes of either kind.
bool CountsBytes(const v1::Finding& finding);

// Whether its values are instructions, sampled in place of time or in addition to it.
bool CountsInstructions(const v1::Finding& finding);

// "2 processors instead of 1, without the processor features AVX2": the head's environment,
// compared with the base's. Empty for none.
std::string EnvironmentWords(
    const google::protobuf::RepeatedPtrField<v1::EnvironmentDifference>& differences);

// Default share of a target's CPU from which a change is material.
inline constexpr double kLeastCpuShare = 0.005;
// Share of the bytes that a target allocates, or of its waiting calls, from which a change is
// material.
inline constexpr double kLeastOtherShare = 0.05;

// Whether the change is material for bytes or waiting, even if no sample shows it.
bool CostsOtherThanCpu(const v1::Finding& finding);

// Whether the verdict is more or new; less or gone.
bool IsCost(v1::Finding::Verdict verdict);
bool IsSaving(v1::Finding::Verdict verdict);
// Whether it is one of these.
bool Changed(const v1::Finding& finding);
// Whether it changed, or more runs may show that it did.
bool MayHaveChanged(const v1::Finding& finding);

// Whether the finding is about calls whose number is known to vary between executions.
bool CallsVary(const v1::Finding& finding);

// Whether the finding is about calls that vary, or that no changed code explains.
bool MayBeChance(const v1::Finding& finding);

// Converts the names in the finding to UTF-8 (ToUtf8): symbols and debug information may contain
// arbitrary bytes, and a string field with invalid UTF-8 cannot be parsed by the receiver. Called
// for every finding when it is complete.
void MakeNamesText(v1::Finding& finding);

}  // namespace gprofhub::reporter
