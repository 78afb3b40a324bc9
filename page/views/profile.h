// Pages about the profile of one target in one run, and about one function over time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "page/flame/stack_tree.h"
#include "page/graph/call_graph.h"
#include "page/html/html.h"
#include "page/views/shell.h"
#include "profile/computed.h"
#include "proto/query.pb.h"

namespace gprofhub::page {

// Which profile a page is about.
struct TargetPlace {
  std::string run;  // its id
  std::string commit;
  std::string target;
};

struct GraphQuery {
  std::optional<uint32_t> function;  // row; nothing: the list of functions
  std::string part;                  // of names; the list has only these
};
Html CallGraphView(const Context& context, const TargetPlace& place,
                   const profile::ComputedProfile& profile, const GraphQuery& query);

// The drawn graph's page: the script draws; without it there is the table.
Html DrawnGraphView(const Context& context, const TargetPlace& place, const DrawnGraph& graph,
                    uint32_t nodes);
// {"nodes": [{"name", "display", "self_share", "share", "calls"}], "edges": [{"from", "to",
// "calls", "share"}]}; pure ASCII.
std::string DrawnGraphJson(const DrawnGraph& graph);

struct FlamePage {
  std::string base;              // a run to compare with; empty: none
  bool is_measured = false;      // the stacks were recorded; false: made of the call graph
  double unit = 1e6;             // what a value of 1 is a part of: values / unit are seconds
  std::vector<StackCost> costs;  // the table
};
Html FlameView(const Context& context, const TargetPlace& place, const FlamePage& flame);

struct FunctionPage {
  v1::GetTrendResponse trend;
  std::string target;  // empty: all
  std::string branch;  // empty: all
  // Of the newest run: where the function is, by target; its costs there.
  std::string newest_run;
  struct Reached {
    std::string target;
    GraphEntry entry;
  };
  std::vector<Reached> reached;
};
Html FunctionView(const Context& context, const FunctionPage& page);
// Where a name is ambiguous, or nothing has it.
Html FunctionChoiceView(const Context& context, const std::string& name,
                        const std::vector<std::pair<std::string, std::string>>& names,
                        const std::string& message);

struct ListingChoice {
  std::string kind;  // "flat", "graph", "lines", "annotated"
  std::string words;
};
Html ListingView(const Context& context, const TargetPlace& place, const std::string& kind,
                 const std::vector<ListingChoice>& kinds, const std::string& text);

Html OrderingView(const Context& context, const TargetPlace& place, const std::string& text);

struct Download {
  std::string format, words, file;
  std::string image;  // its build-id, where the target has several; else empty
};
Html DownloadView(const Context& context, const TargetPlace& place,
                  const std::vector<Download>& downloads);

}  // namespace gprofhub::page
