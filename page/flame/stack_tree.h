// Stacks as a tree, for flame graphs: of one profile, or of two, one against the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/decoding/decoding.h"

namespace gprofhub::page {

struct StackNode {
  std::string name;
  double before = 0;  // of it and all below, in the text's unit; 0 where there is one profile
  double after = 0;
  std::vector<StackNode> children;  // by name
};

// The tree of folded stacks ("outermost;…;innermost VALUE" in each line): `after`, and `before` to
// compare it with, if that is not empty. Values of `before` are multiplied by `scale`. Nodes whose
// share on both sides is less than `least` of the root's are left out, and so is what is deeper
// than 500. INVALID_ARGUMENT naming a line that is none. What is built on the way is taken of
// `decoding`, whose errors come, too.
absl::StatusOr<StackNode> StackTree(absl::string_view before, absl::string_view after, double scale,
                                    double least, const base::Decoding& decoding = {});

// The tree as d3-flame-graph reads it: {"name", "value", "delta", "children"}. Pure ASCII.
std::string StackTreeJson(const StackNode& root);

// Functions with their time in stacks, each stack once, and their own; most first, for the table.
struct StackCost {
  std::string name;
  double self_before = 0, self_after = 0, total_before = 0, total_after = 0;
};
std::vector<StackCost> CostsOf(const StackNode& root, size_t limit);

}  // namespace gprofhub::page
