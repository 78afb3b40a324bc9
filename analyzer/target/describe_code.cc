#include "analyzer/target/describe_code.h"

namespace gprofhub::analyzer {

uint32_t DescribeCode(const TableFunction& function, LineFinder& lines,
                      profile::FunctionCost& cost) {
  const profile::FunctionSymbol& symbol = *function.symbol;
  const profile::LineRow* line = lines.Find(function.address);
  cost.line = symbol.line != 0 ? symbol.line : line != nullptr ? line->line : 0;
  cost.size = function.end - function.address;
  cost.is_static = symbol.is_local;
  cost.code = symbol.code;
  if (symbol.file != 0) return symbol.file;
  return line != nullptr ? line->file : 0;
}

}  // namespace gprofhub::analyzer
