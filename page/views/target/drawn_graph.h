// The hottest part of a call graph, drawn by a script.
#pragma once

#include <cstdint>
#include <string>

#include "page/graph/call_graph.h"
#include "page/html/html.h"
#include "page/views/shell.h"
#include "page/views/target/target.h"

namespace gprofhub::page {

// A script draws the graph; without scripts there is the table.
Html DrawnGraphView(const Context& context, const TargetPlace& place, const DrawnGraph& graph,
                    uint32_t nodes);
// {"nodes": [{"name", "display", "self_share", "share", "calls"}], "edges": [{"from", "to",
// "calls", "share"}]}; pure ASCII.
std::string DrawnGraphJson(const DrawnGraph& graph);

}  // namespace gprofhub::page
