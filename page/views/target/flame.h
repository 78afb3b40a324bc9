// A flame graph, drawn by a script; without scripts there is the table.
#pragma once

#include <string>
#include <vector>

#include "page/flame/stack_tree.h"
#include "page/html/html.h"
#include "page/views/shell.h"
#include "page/views/target/target.h"

namespace gprofhub::page {

struct FlamePage {
  std::string base;              // a run to compare with; empty: none
  bool is_measured = false;      // the stacks were recorded; false: derived from the call graph
  double unit = 1e6;             // values per second
  std::vector<StackCost> costs;  // the table
};
Html FlameView(const Context& context, const TargetPlace& place, const FlamePage& flame);

}  // namespace gprofhub::page
