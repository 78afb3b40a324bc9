// Attributes of a function in a computed profile other than costs and names.
#pragma once

#include <cstdint>

#include "analyzer/functions/function_table.h"
#include "analyzer/functions/line_finder.h"
#include "profile/computed.h"

namespace gprofhub::analyzer {

// Sets the function's line, size, binding and code; returns its source file, an index into
// SymbolTable::files. File and line come from the debug information, else from the entry's row in
// `lines`; 0: unknown.
uint32_t DescribeCode(const TableFunction& function, LineFinder& lines,
                      profile::FunctionCost& cost);

}  // namespace gprofhub::analyzer
