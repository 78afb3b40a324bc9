// The arcs that break the cycles of a call graph, as text.
#pragma once

#include <string>

#include "analyzer/listing/input.h"
#include "analyzer/listing/prepare.h"

namespace gprofhub::analyzer {

// For each cycle a line, and the arcs below it in the form of the option that leaves them out.
std::string PrintCutCycles(const ListingInput& input, const CycleBreaking& breaking);

}  // namespace gprofhub::analyzer
