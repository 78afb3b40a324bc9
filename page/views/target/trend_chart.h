// The picture of a function's trend.
#pragma once

#include "page/html/html.h"
#include "page/views/shell.h"
#include "page/views/target/function_page.h"

namespace gprofhub::page {

// Where the script draws. It has all values, and dots meanwhile. Of days and weeks the lines are
// medians, and the bands go from the least to the most; of runs they are the errors of sampling.
Html TrendChart(const Context& context, const FunctionPage& page);

}  // namespace gprofhub::page
