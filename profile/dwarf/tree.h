// The tree of a unit's debugging information entries.
#pragma once

#include <elfutils/libdw.h>

#include "absl/functional/function_ref.h"

namespace gprofhub::profile {

// Calls `visit` with each entry below `unit` and itself, in their order; the depth of
// `unit` is 0. Of a unit that nests deeper than compilers do, whose entries lead back, or
// that would take more than linear time, what is left is passed over.
void ForEachDwarfEntry(Dwarf_Die* unit, absl::FunctionRef<void(Dwarf_Die*, int depth)> visit);

}  // namespace gprofhub::profile
