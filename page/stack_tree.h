// Stacks as a tree, for flame graphs of one profile and differential flame graphs of two.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_budget.h"

namespace gprofhub::page {

struct StackNode {
  std::string name;
  double before = 0;  // total, in the text's unit; 0 if there is one profile
  double after = 0;
  std::vector<StackNode> children;  // by name
};

// The tree of folded stacks ("outermost;…;innermost VALUE" in each line): `after`, compared with
// `before` unless that is empty. Values of `before` are multiplied by `scale`. Nodes whose share on
// both sides is less than `least` of the root's, and nodes deeper than 500, are left out.
// INVALID_ARGUMENT names a malformed line. Memory is reserved from `decoding`, whose errors are
// passed on.
absl::StatusOr<StackNode> StackTree(absl::string_view before, absl::string_view after, double scale,
                                    double least, const base::Decoding& decoding = {});

// The tree as JSON for d3-flame-graph: {"name", "value", "delta", "children"}. Pure ASCII.
std::string StackTreeJson(const StackNode& root);

// Functions with total and self time, for the table, largest total first. A stack counts once per
// function.
struct StackCost {
  std::string name;
  double self_before = 0, self_after = 0, total_before = 0, total_after = 0;
};
std::vector<StackCost> CostsOf(const StackNode& root, size_t limit);

}  // namespace gprofhub::page
