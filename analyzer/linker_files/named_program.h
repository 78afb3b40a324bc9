// A program that is known by its functions' names alone.
#pragma once

#include "profile/stacks/perf_text.h"
#include "profile/symbols.h"

namespace gprofhub::analyzer {

// The functions of `stacks` whose names seem to be linkage names: they have no parameter
// list, and a linker can place them. Their addresses mean nothing.
profile::SymbolTable ProgramOfNames(const profile::SampledStacks& stacks);

}  // namespace gprofhub::analyzer
