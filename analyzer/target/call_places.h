// Where in the source calls stand, as their authors would say.
#pragma once

#include <vector>

#include "analyzer/target/file_indices.h"
#include "analyzer/target/function_space.h"
#include "analyzer/target/site_arc.h"
#include "analyzer/target/target_profile.h"
#include "profile/computed.h"

namespace gprofhub::analyzer {

// Gives `costs` the file and line of their calls. They stand in the order of `arcs`, which
// ascend by Key. Most have the line that the line table says. A call that was inlined along
// with a header's function may have the line that calls this function (call_places.cc).
void NameCallSites(const TargetProfile& target, const FunctionSpace& functions,
                   const std::vector<SiteArc>& arcs, FileIndices& files,
                   std::vector<profile::ArcCost>& costs);

}  // namespace gprofhub::analyzer
