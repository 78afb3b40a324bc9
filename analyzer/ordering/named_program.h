// A program that is known by its functions' names alone.
#pragma once

#include "profile/sampled_stacks.h"
#include "profile/symbols.h"

namespace gprofhub {

// Those functions of `stacks` whose names are linkage names, as far as one can see: a
// linker can place them and they have no parameters. Their addresses mean nothing.
SymbolTable ProgramOfNames(const SampledStacks& stacks);

}  // namespace gprofhub
