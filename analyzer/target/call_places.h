// Where in the source calls stand, as their authors would say.
#pragma once

#include <vector>

#include "analyzer/target/file_indices.h"
#include "analyzer/target/function_space.h"
#include "analyzer/target/site_arc.h"
#include "analyzer/target/target_profile.h"
#include "profile/computed.h"

namespace gprofhub::analyzer {

// Gives `costs`, in the order of `arcs` (ascending by Key), the file and line of their
// calls: by the line table, and, where a call was inlined along with a function of
// another file, by the line of that function's call.
void NameCallSites(const TargetProfile& target, const FunctionSpace& functions,
                   const std::vector<SiteArc>& arcs, FileIndices& files,
                   std::vector<profile::ArcCost>& costs);

}  // namespace gprofhub::analyzer
