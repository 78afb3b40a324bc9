// One function over time.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "page/graph/call_graph.h"
#include "page/html/html.h"
#include "page/views/shell.h"
#include "proto/query.pb.h"

namespace gprofhub::page {

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

}  // namespace gprofhub::page
