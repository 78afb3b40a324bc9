// Source locations of calls, from the perspective of the calls' authors.
#pragma once

#include <vector>

#include "analyzer/target/file_indices.h"
#include "analyzer/target/function_space.h"
#include "analyzer/target/site_arc.h"
#include "analyzer/target/target_profile.h"
#include "profile/computed.h"

namespace gprofhub::analyzer {

// Sets the file and line of the calls in `costs`, which have the order of `arcs`, ascending by Key.
// Most lines are those of the line table. A call that was inlined along with a header's function
// may get the line that calls this function (call_places.cc).
void NameCallSites(const TargetProfile& target, const FunctionSpace& functions,
                   const std::vector<SiteArc>& arcs, FileIndices& files,
                   std::vector<profile::ArcCost>& costs);

}  // namespace gprofhub::analyzer
