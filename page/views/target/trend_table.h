// A function's trend as a table.
#pragma once

#include "page/html/html.h"
#include "page/views/shell.h"
#include "page/views/target/function_page.h"

namespace gprofhub::page {

// Run by run, newest first; of many the newest, and those at which a level begins.
Html RunsTable(const Context& context, const FunctionPage& page);

// Day by day, or week by week, newest first.
Html PeriodsTable(const Context& context, const FunctionPage& page);

}  // namespace gprofhub::page
