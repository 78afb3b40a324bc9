// A program of which only the functions' names are known.
#pragma once

#include "profile/stacks/perf_text.h"
#include "profile/symbols.h"

namespace gprofhub::analyzer {

// The functions of `stacks` whose names look like linkage names: they have no parameter list, and a
// linker can place them. Their addresses are meaningless.
profile::SymbolTable ProgramOfNames(const profile::SampledStacks& stacks);

}  // namespace gprofhub::analyzer
