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

// The tree as JSON: {"name", "value", "before", "delta", "children"}; "value" is `after`. Pure
// ASCII.
std::string StackTreeJson(const StackNode& root);

// Functions with total and self time, for the table. A stack counts once per function. The largest
// total first; of two profiles the largest change of self time.
struct StackCost {
  std::string name;
  double self_before = 0, self_after = 0, total_before = 0, total_after = 0;
};
std::vector<StackCost> CostsOf(const StackNode& root, size_t limit);

// What became of a function.
enum class StackChange { kSame, kSlower, kFaster, kNew, kVanished };
// By its self time; a change of less than 2% of the larger one is none. kNew and kVanished: it has
// time in one profile only.
StackChange ChangeOf(const StackCost& cost);

}  // namespace gprofhub::page
