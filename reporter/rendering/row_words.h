// Descriptions of a row's change, for Markdown and text.
#pragma once

#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "reporter/rendering/function_rows.h"

namespace gprofhub::reporter {

// Escapes a name: Printable or MarkdownCode.
using Quote = std::function<std::string(absl::string_view)>;

// "called 239,477 times, was 155,620; `jsonPrintf` calls it 3 times per call,
// was 2; 14 functions below it follow".
std::string DescribeRow(const FunctionRow& row, const Quote& quote);

// "+54% calls (exact), about 3.2% of the test's CPU". "(one run each)" marks a count based on one
// run per side; without CPU samples: "… of the test's calls (share of CPU not known: no samples)".
std::string DescribeEffect(const FunctionRow& row);

// "about 3.2% of the test's CPU": the share of the row's change of calls.
std::string ShareWords(const FunctionRow& row);

// A value of a time finding: "12.3 ms"; of an instruction finding: "1,200,000 instructions".
std::string MeasuredWords(const v1::Finding& finding, double value);

// Certainty of a count: " (exact)", " (one run each)" or nothing for a varying count.
absl::string_view CertaintyWords(const v1::Finding& calls);

}  // namespace gprofhub::reporter
