// The tree of a unit's debugging information entries.
#pragma once

#include <elfutils/libdw.h>

#include "absl/functional/function_ref.h"

namespace gprofhub::profile {

// Calls `visit` with `unit` and each entry below it, in order; the depth of `unit` is 0. The rest
// of a unit is skipped if it nests deeper than compilers do, if its entries lead back, or if it
// would take more than linear time.
void ForEachDwarfEntry(Dwarf_Die* unit, absl::FunctionRef<void(Dwarf_Die*, int depth)> visit);

}  // namespace gprofhub::profile
