#include "analyzer/linker_files/named_program.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "analyzer/linker_files/symbol_file.h"

namespace gprofhub::analyzer {

profile::SymbolTable ProgramOfNames(const profile::SampledStacks& stacks) {
  std::vector<std::string> names = stacks.functions;
  std::sort(names.begin(), names.end());
  profile::SymbolTable program;
  program.image_name = "a program";
  for (const std::string& name : names) {
    if (!CanBePlaced(name) || absl::StrContains(name, '(')) continue;
    profile::FunctionSymbol symbol;
    symbol.name = name;
    symbol.address = 2 * (program.functions.size() + 1);
    symbol.size = 1;
    symbol.is_function = true;
    program.functions.push_back(symbol);
  }
  program.text_low = 2;
  program.text_high = 2 * (program.functions.size() + 1);
  return program;
}

}  // namespace gprofhub::analyzer
