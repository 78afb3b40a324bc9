// The policy file: a repository's rules for failing checks (docs/pull-requests.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

inline constexpr char kPolicyFile[] = ".gprofhub.json";

// A rule matches a finding by target, function, metric and verdict. The first matching rule
// applies: the finding is gated if it reaches the thresholds.
struct GateRule {
  std::string name;
  std::vector<std::string> targets;    // globs; empty: all
  std::vector<std::string> functions;  // globs on linkage or displayed name; empty: all
  std::vector<v1::Finding::Metric> metrics;
  std::vector<v1::Finding::Verdict> verdicts;
  double min_cpu_percent = 1;  // the change's share of the target's CPU
  // The change's share of the target's calls, for targets without CPU samples. Not set: such
  // changes do not fail, unless min_cpu_percent is 0.
  std::optional<double> min_calls_percent;
  double min_effect_percent = 0;  // of the count or time itself, up or down
  bool fails = true;              // false: matching findings are not gated
};

// Weight of a target's runs in an ordering.
struct OrderingWorkload {
  std::string target;  // a label, a glob on labels, or a local folder
  double weight = 1;   // 0: left out
};

// Inputs of an ordering (docs/ordering.md).
struct OrderingPolicy {
  std::vector<OrderingWorkload> workloads;  // the first that matches a target applies
  std::vector<std::string> exclude;         // shell patterns of functions and files
  bool with_tests = false;
  uint32_t history = 1;       // number of merged runs, 1 to 100
  double half_life_days = 0;  // 0: none
};

// Owners of findings. A rule matches a finding by file and function.
struct OwnerRule {
  std::vector<std::string> files;      // patterns as in CODEOWNERS; empty: all
  std::vector<std::string> functions;  // globs on linkage or displayed name; empty: all
  std::vector<std::string> owners;     // "@login", "@org/team", an address; never empty
};

struct Policy {
  std::vector<GateRule> gates;
  // Changes with a smaller share of CPU are not worth a comment.
  double comment_above_percent = 0.5;
  // The acknowledgements in the file. They apply to every pull request.
  std::vector<store::AcknowledgementRecord> acknowledged;
  OrderingPolicy ordering;
  // The first rule that matches a finding applies, before CODEOWNERS.
  std::vector<OwnerRule> owners;
  // The CI job to restart when a rerun is requested; empty: none.
  std::string rerun_job;
};

// The default policy, without a file. It gates regressed calls, instructions and self times of at
// least 1% of a test's CPU.
Policy DefaultPolicy();

// INVALID_ARGUMENT "FILE: gates[2].min_cpu_percent: …" names the first error: invalid JSON, over 1
// MB, an unknown or repeated field, a value of another type or out of range.
absl::StatusOr<Policy> ParsePolicy(absl::string_view text, absl::string_view file);

}  // namespace gprofhub::reporter
