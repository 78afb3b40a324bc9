// A program that is known by its functions' names alone.
#pragma once

#include "profile/stacks/perf_text.h"
#include "profile/symbols.h"

namespace gprofhub::analyzer {

// Those functions of `stacks` whose names are linkage names, as far as one can see: a
// linker can place them and they have no parameters. Their addresses mean nothing.
profile::SymbolTable ProgramOfNames(const profile::SampledStacks& stacks);

}  // namespace gprofhub::analyzer
