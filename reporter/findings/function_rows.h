// Findings grouped for readers: one row per changed function, folded by cause.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"
#include "reporter/findings/findings.h"

namespace gprofhub::reporter {

// Findings of one kind about one function. Points into the report.
struct FunctionRow {
  FindingKind kind = FindingKind::kCause;
  const v1::Finding* first = nullptr;         // the highest ranked; never null
  const v1::Finding* calls = nullptr;         // the function as a whole
  const v1::Finding* arc = nullptr;           // the main arc to blame
  const v1::Finding* self_time = nullptr;     // or its instructions
  const v1::Finding* instructions = nullptr;  // counted in addition to time
  const v1::Finding* library_time = nullptr;  // or that of the arc's caller, which arc includes
  const v1::Finding* total_time = nullptr;
  // For a cause: change of the arc's caller's allocations in the same target: bytes, or calls of an
  // allocator if the arc is about bytes.
  const v1::Finding* allocated = nullptr;
  size_t further_arcs = 0;
  // For a cause: material arcs of other call sites in the same target, the largest share first:
  // those of further callers, and those of the folded rows.
  std::vector<const v1::Finding*> also;
  size_t follows = 0;  // functions folded under it
  // For a cause: number of folded rows with the same cause.
  size_t same_cause = 0;
  // For a folded row: the highest ranked finding of its cause.
  const v1::Finding* cause = nullptr;
  // Sort key: the share of the target's CPU, or without samples of its calls. Includes the rows of
  // the same cause.
  double share = 0;
  // Finding.share_of_bytes and share_of_waits, including the rows of the same cause.
  double share_of_bytes = 0;
  double share_of_waits = 0;
  // As TestEffect of the main finding.
  std::optional<double> effect_percent;
  std::optional<double> effect_seconds;
  bool contradicted = false;
  std::vector<std::string> other_targets;            // further targets with the same change
  std::vector<std::optional<double>> other_effects;  // in percent, by these targets
};

// Sets test_effect of all findings of a whole report, as the essay in row_effects.cc says.
void SetTestEffects(v1::Report& report);

// In rank order; causes by direction, then by share, another toolchain first. A function that
// changed in several targets is one row, for the target with the largest share. Of functions with
// one cause (reporter/findings/findings.h) the first represents the cause; the others become side
// effects.
std::vector<FunctionRow> GroupByFunction(const v1::Report& report);

// The row of a single finding.
FunctionRow RowOfFinding(const v1::Finding& finding);

// REGRESSED, IMPROVED, NEW, VANISHED, … of the row as a whole.
v1::Finding::Verdict RowVerdict(const FunctionRow& row);

// Of a change, in rank order.
enum class Direction {
  kCosts,
  kInconclusive,  // a rewrite or another toolchain, without a material change of its time
  kSaves,
};
Direction DirectionOf(const FunctionRow& row);

// Whether the row is about calls with an unknown share of CPU.
bool IsUnsampled(const FunctionRow& row);

// Whether the row is material for allocated bytes or waiting, and not for CPU time.
bool CostsOnlyOtherThanCpu(const FunctionRow& row);

// The finding that represents the row: the arc to blame, if there is one.
const v1::Finding& MainFinding(const FunctionRow& row);

// "src/json.c:1841" (not escaped), or empty.
std::string PlaceOf(const FunctionRow& row);
// Whether the change under review is known to touch that line.
bool InDiff(const FunctionRow& row);

}  // namespace gprofhub::reporter
