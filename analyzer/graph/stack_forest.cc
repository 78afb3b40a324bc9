#include "analyzer/graph/stack_forest.h"

namespace gprofhub::analyzer {

std::vector<StackNode> ResolveStacks(
    size_t count, absl::FunctionRef<const profile::StackFrame&(size_t i)> frame_at,
    absl::FunctionRef<FrameFunction(size_t i, uint64_t address)> function_at, double weight) {
  std::vector<bool> is_caller(count, false);
  for (size_t i = 0; i < count; ++i) {
    if (const int64_t parent = frame_at(i).parent; parent >= 0) is_caller[parent] = true;
  }
  std::vector<StackNode> forest;
  forest.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const profile::StackFrame& frame = frame_at(i);
    const FrameFunction found =
        function_at(i, is_caller[i] && frame.pc > 0 ? frame.pc - 1 : frame.pc);
    StackNode node;
    node.parent = frame.parent;
    node.samples = weight * static_cast<double>(frame.samples);
    node.function = found.function;
    if (found.function != kNoFunction) {
      node.site = frame.pc - found.entry;
    } else {
      node.is_missing = frame.pc == profile::kFramesMissing;
    }
    forest.push_back(node);
  }
  return forest;
}

}  // namespace gprofhub::analyzer
