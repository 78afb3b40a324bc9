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

// So many functions can be shown beside one.
inline constexpr size_t kMostBeside = 4;
// The field of the page's address that names the n-th of them, from 1.
std::string BesideField(size_t n);

struct FunctionPage {
  v1::GetTrendResponse trend;
  std::string target;  // empty: all
  std::string branch;  // empty: all
  uint32_t limit = 0;  // of runs, as asked for; 0: it was not said
  // Other functions' trends, of the same runs; those that are not known have notes.
  std::vector<v1::GetTrendResponse> beside;
  std::vector<std::string> notes;
  // Of the newest run: where the function is, by target; its costs there.
  std::string newest_run;
  struct Reached {
    std::string target;
    GraphEntry entry;
  };
  std::vector<Reached> reached;  // most time first
  Html around;                   // callers and callees in the first of them
};
Html FunctionView(const Context& context, const FunctionPage& page);
// Where a name is ambiguous, or nothing has it.
Html FunctionChoiceView(const Context& context, const std::string& name,
                        const std::vector<std::pair<std::string, std::string>>& names,
                        const std::string& message);

}  // namespace gprofhub::page
