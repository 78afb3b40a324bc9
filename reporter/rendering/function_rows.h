// Findings as a reader wants them: one row per changed function, with what
// changed in words, whether the row becomes Markdown or text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Sections of a report, in rank order (compare.h).
enum class FindingKind {
  kCause,      // calls and self time that changed here, and matter
  kTotalTime,  // self and inherited
  kFollower,   // what follows from another finding
  kMinor,      // changed here, too little to matter
  kShifted,
  kCannotTell,
  kEquivalent,
};

// Kinds of a report's findings, in their order.
std::vector<FindingKind> KindsOf(const std::vector<v1::Finding>& findings);
std::vector<FindingKind> KindsOf(const v1::Report& report);

// Findings of one kind about one function. Pointers into the report.
struct ChangeRow {
  FindingKind kind = FindingKind::kCause;
  const v1::Finding* first = nullptr;  // the highest ranked; never null
  const v1::Finding* calls = nullptr;  // of the function as a whole
  const v1::Finding* arc = nullptr;    // the arc to blame most
  const v1::Finding* self_time = nullptr;
  const v1::Finding* total_time = nullptr;
  size_t further_arcs = 0;
  size_t follows = 0;                      // functions folded under it
  std::vector<std::string> other_targets;  // that have it too
};

// In rank order. A function that changed in several targets is one row: that of
// the target where the change stands for most.
std::vector<ChangeRow> GroupByFunction(const v1::Report& report);

// REGRESSED, IMPROVED, NEW, VANISHED, … of the row as a whole.
v1::Finding::Verdict RowVerdict(const ChangeRow& row);

// Makes a name safe to show: Printable or MarkdownCode.
using Quote = std::function<std::string(absl::string_view)>;

// "called 239,477 times, was 155,620; `jsonPrintf` calls it 3 times per call,
// was 2; 14 functions below it follow".
std::string DescribeRow(const ChangeRow& row, const Quote& quote);

// "+54% calls (exact), about 3.2% of the test's CPU", or, where no CPU was sampled,
// "… of the test's calls (share of CPU not known: no samples)".
std::string DescribeEffect(const ChangeRow& row);

// "src/json.c:1841" (not escaped), or empty.
std::string PlaceOf(const ChangeRow& row);
// Whether the change under review touches that line, as far as is known.
bool InDiff(const ChangeRow& row);

// One sentence on the whole report, without names: "2 changes cost CPU, the largest
// about 9.1% of a test's; 1 change saves about 2.0% of a test's CPU; 4 small changes".
std::string Headline(const v1::Report& report);

}  // namespace gprofhub::reporter
