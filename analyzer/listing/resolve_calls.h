// Resolves the addresses of calls to callers and callees.
#pragma once

#include <vector>

#include "analyzer/functions/function_table.h"
#include "analyzer/graph/call_graph.h"
#include "analyzer/graph/static_call.h"
#include "analyzer/listing/choose_rows.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// Adds the profile's calls to `graph`, and the static ones with a count of 0, as far as both
// ends are in functions and `filter` accepts them. `finder` belongs to the rows' table. Must be
// called before CallGraph::Finish. May release the memory of profile.arcs while reading, after
// which they read as zeros, unless ListingStacks needs them.
void ResolveCalls(profile::RawProfile& profile, const std::vector<StaticCall>& static_calls,
                  const FunctionFinder& finder, const ArcFilter& filter, CallGraph& graph);

}  // namespace gprofhub::analyzer
