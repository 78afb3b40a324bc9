// The arcs that break the cycles of a call graph, as text.
#pragma once

#include <string>

#include "analyzer/listing/input.h"
#include "analyzer/listing/prepare.h"

namespace gprofhub::analyzer {

// For each cycle a line, followed by the arcs in the syntax of the option that excludes them.
std::string PrintCutCycles(const ListingInput& input, const CycleBreaking& breaking);

}  // namespace gprofhub::analyzer
