// Descriptions of a row's change, for Markdown and text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"
#include "reporter/findings/function_rows.h"

namespace gprofhub::reporter {

// One-line descriptions of toolchain changes and rewritten components.

// What a terminal is sent for colours.
inline constexpr const char* kBold = "\x1b[1m";
inline constexpr const char* kRed = "\x1b[31m";
inline constexpr const char* kGreen = "\x1b[32m";
inline constexpr const char* kPlain = "\x1b[0m";

// "1,234 files", "1 file".
std::string CountOfNoun(uint64_t count, absl::string_view noun);

// Minimum detectable effect above which times are not reported: there are too few samples.
inline constexpr double kTooCoarsePercent = 200;

// The change: "compiled 12 of 14 files; 87 functions changed with it", "16 functions replaced by
// 21, together 6.2% → 5.1% of the test's CPU". Empty if it is not a group.
std::string GroupWords(const v1::Finding& finding);

// The effect on times: "−18% self time together (95%: −30% to −5.0%)".
std::string GroupEffectWords(const v1::Finding& finding);

// For a headline, if the time is inconclusive: "a rewrite: 61 functions replaced by 48, together
// 6.2% → 5.1% of the test's CPU". Without names, because a headline is not escaped.
std::string GroupHeadline(const v1::Finding& finding);

// Escapes a name: Printable or MarkdownCode.
using Quote = std::function<std::string(absl::string_view)>;

// "called 239,477×, was 155,620; `jsonPrintf` calls it 3× per call, was 2; 14 side effects".
std::string DescribeRow(const FunctionRow& row, const Quote& quote);

// "+54% calls (exact), about +340 ms CPU (+3.3%)". "(one run each)" marks a count
// based on one run per side; without CPU samples: "about 17% of the test's calls (share of CPU not
// known: no samples)".
std::string DescribeEffect(const FunctionRow& row);

// The change's effect on the test: "about +340 ms CPU (+3.3%)", or without the
// test's time "about +3.3% of the test's CPU".
std::string ShareWords(const FunctionRow& row);

// A value of a time finding: "12.3 ms"; of an instruction finding: "1,200,000 instructions".
std::string MeasuredWords(const v1::Finding& finding, double value);

// Certainty of a count: " (exact)", " (one run each)" or nothing for a varying count.
absl::string_view CertaintyWords(const v1::Finding& calls);

}  // namespace gprofhub::reporter
