// What changed in a row, in words, whether the row becomes Markdown or text.
#pragma once

#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "reporter/rendering/function_rows.h"

namespace gprofhub::reporter {

// Makes a name safe to show: Printable or MarkdownCode.
using Quote = std::function<std::string(absl::string_view)>;

// "called 239,477 times, was 155,620; `jsonPrintf` calls it 3 times per call,
// was 2; 14 functions below it follow".
std::string DescribeRow(const FunctionRow& row, const Quote& quote);

// "+54% calls (exact), about 3.2% of the test's CPU". Where one run a side shows the count it says
// "(one run each)"; where no CPU was sampled, "… of the test's calls (share of CPU not known: no
// samples)".
std::string DescribeEffect(const FunctionRow& row);

// "about 3.2% of the test's CPU": what the row's change of calls stands for.
std::string ShareWords(const FunctionRow& row);

// A value of a finding about times: "12.3 ms"; of one about instructions: "1,200,000 instructions".
std::string MeasuredWords(const v1::Finding& finding, double value);

// How sure a count is: " (exact)", " (one run each)" or, of one that varies, nothing.
absl::string_view CertaintyWords(const v1::Finding& calls);

}  // namespace gprofhub::reporter
