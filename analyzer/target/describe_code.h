// What a computed profile says of a function besides its costs and names.
#pragma once

#include <cstdint>

#include "analyzer/functions/function_table.h"
#include "analyzer/functions/line_finder.h"
#include "profile/computed.h"

namespace gprofhub::analyzer {

// Sets the function's line, size, binding and code; returns its source file, an index into
// SymbolTable::files. File and line are those of the debug information, else those of
// the entry's row in `lines`; 0: unknown.
uint32_t DescribeCode(const TableFunction& function, LineFinder& lines,
                      profile::FunctionCost& cost);

}  // namespace gprofhub::analyzer
