// Chart of a function's trend.
#pragma once

#include "page/html/html.h"
#include "page/views/shell.h"
#include "page/views/target/function_page.h"

namespace gprofhub::page {

// Placeholder with all values, which a script replaces by the chart; until then it shows dots. For
// days and weeks the lines are medians, and the bands go from the minimum to the maximum; for runs
// the bands are sampling errors.
Html TrendChart(const Context& context, const FunctionPage& page);

}  // namespace gprofhub::page
