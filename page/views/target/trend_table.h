// A function's trend as a table.
#pragma once

#include "page/html/html.h"
#include "page/views/shell.h"
#include "page/views/target/function_page.h"

namespace gprofhub::page {

// Run by run, newest first. A long table has the newest runs, and those at which a level begins.
Html RunsTable(const Context& context, const FunctionPage& page);

// By day or by week, newest first.
Html PeriodsTable(const Context& context, const FunctionPage& page);

}  // namespace gprofhub::page
