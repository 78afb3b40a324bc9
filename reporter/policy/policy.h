// The policy file: what fails a check, said by the repository itself
// (docs/pull-requests.md).
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

// A finding is judged by the first rule that it belongs to: one of its targets,
// functions, metrics and verdicts. It is gated if it reaches the thresholds.
struct GateRule {
  std::string name;
  std::vector<std::string> targets;    // globs; empty: all
  std::vector<std::string> functions;  // globs on linkage or displayed name; empty: all
  std::vector<v1::Finding::Metric> metrics;
  std::vector<v1::Finding::Verdict> verdicts;
  double min_cpu_percent = 1;  // of the target's CPU, that the change stands for
  // Where no CPU was sampled, of the target's calls; nothing: such changes do not fail,
  // unless min_cpu_percent is 0.
  std::optional<double> min_calls_percent;
  double min_effect_percent = 0;  // of the count or time itself, up or down
  bool fails = true;              // false: what belongs here is not gated
};

// How often a target's runs count in an ordering.
struct OrderingWorkload {
  std::string target;  // a label, a glob on labels, or a local folder
  double weight = 1;   // 0: left out
};

// What an ordering is made from (docs/ordering.md).
struct OrderingPolicy {
  std::vector<OrderingWorkload> workloads;  // the first that a target matches counts
  std::vector<std::string> exclude;         // shell patterns of functions and files
  bool with_tests = false;
  uint32_t history = 1;       // runs taken together, 1 to 100
  double half_life_days = 0;  // 0: none
};

struct Policy {
  std::vector<GateRule> gates;
  // Changes that stand for less do not make a comment.
  double comment_above_percent = 0.5;
  // Those of the file: of every pull request.
  std::vector<store::AcknowledgementRecord> acknowledged;
  OrderingPolicy ordering;
};

// What holds without a file: regressed calls, instructions and self times that
// stand for at least 1% of a test's CPU.
Policy DefaultPolicy();

// INVALID_ARGUMENT "FILE: gates[2].min_cpu_percent: …" for the first thing that
// is wrong: no JSON, over 1 MB, an unknown or repeated field, a value of another
// type or out of range.
absl::StatusOr<Policy> ParsePolicy(absl::string_view text, absl::string_view file);

}  // namespace gprofhub::reporter
