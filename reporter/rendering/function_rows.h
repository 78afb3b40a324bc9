// Findings as a reader wants them: one row per changed function, and one per cause above all.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "proto/findings.pb.h"
#include "reporter/findings/finding_kinds.h"

namespace gprofhub::reporter {

// Findings of one kind about one function. Pointers into the report.
struct FunctionRow {
  FindingKind kind = FindingKind::kCause;
  const v1::Finding* first = nullptr;         // the highest ranked; never null
  const v1::Finding* calls = nullptr;         // of the function as a whole
  const v1::Finding* arc = nullptr;           // the arc to blame most
  const v1::Finding* self_time = nullptr;     // or its instructions
  const v1::Finding* instructions = nullptr;  // counted beside its time
  const v1::Finding* total_time = nullptr;
  // Of a cause: what the arc's caller allocates otherwise, too, in the same target. Bytes, or where
  // the arc is about bytes, calls of an allocator.
  const v1::Finding* allocated = nullptr;
  size_t further_arcs = 0;
  size_t follows = 0;  // functions folded under it
  // Of a cause: rows that are folded under it, because they tell of the same one.
  size_t same_cause = 0;
  // Of a row that is: the highest ranked finding of its cause.
  const v1::Finding* cause = nullptr;
  // What it is ranked by: the share of the target's CPU, or without samples of its calls, that it
  // stands for. That of the rows of the same cause is in it.
  double share = 0;
  // Finding.share_of_bytes and share_of_waits, likewise.
  double share_of_bytes = 0;
  double share_of_waits = 0;
  std::vector<std::string> other_targets;  // that have it too
};

// In rank order. A function that changed in several targets is one row: that of
// the target where the change stands for most. Of functions that changed for one cause
// (reporter/findings/causes.h) the first stands for it; the others become followers.
std::vector<FunctionRow> GroupByFunction(const v1::Report& report);

// The row of one finding alone.
FunctionRow RowOfFinding(const v1::Finding& finding);

// REGRESSED, IMPROVED, NEW, VANISHED, … of the row as a whole.
v1::Finding::Verdict RowVerdict(const FunctionRow& row);

// Whether the row tells of calls of which no share of CPU is known.
bool IsUnsampled(const FunctionRow& row);

// Whether the row matters for bytes that are allocated, or for waiting, and not for CPU time.
bool CostsOnlyOtherThanCpu(const FunctionRow& row);

// The finding that stands for the row where one must be named: the arc to blame, if there is one.
const v1::Finding& MainFinding(const FunctionRow& row);

// "src/json.c:1841" (not escaped), or empty.
std::string PlaceOf(const FunctionRow& row);
// Whether the change under review touches that line, as far as is known.
bool InDiff(const FunctionRow& row);

}  // namespace gprofhub::reporter
