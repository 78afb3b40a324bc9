// From the addresses of calls to the functions that make them and are called.
#pragma once

#include <vector>

#include "analyzer/functions/function_table.h"
#include "analyzer/graph/call_graph.h"
#include "analyzer/graph/static_call.h"
#include "analyzer/listing/choose_rows.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// Adds the profile's calls to `graph`, and the static ones with a count of 0, as far as both
// ends are in functions and `filter` accepts them. `finder` is of the rows' table.
// CallGraph::Finish is still to come. May empty the memory of profile.arcs as it reads:
// they read as zeros then. It does not where ListingStacks needs them.
void ResolveCalls(profile::RawProfile& profile, const std::vector<StaticCall>& static_calls,
                  const FunctionFinder& finder, const ArcFilter& filter, CallGraph& graph);

}  // namespace gprofhub::analyzer
