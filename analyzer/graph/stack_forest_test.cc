#include "analyzer/graph/stack_forest.h"

#include <gtest/gtest.h>

#include <vector>

namespace gprofhub::analyzer {
namespace {

constexpr uint64_t kMain = 0x100, kLeaf = 0x200;

// Functions 0 and 1 at these addresses.
FrameFunction FunctionAt(uint64_t address) {
  if (address < kMain) return {};
  return address < kLeaf ? FrameFunction{0, kMain} : FrameFunction{1, kLeaf};
}

std::vector<StackNode> Resolve(const std::vector<profile::StackFrame>& frames, double weight = 1) {
  return ResolveStacks(
      frames.size(), [&](size_t i) -> const profile::StackFrame& { return frames[i]; },
      [](size_t, uint64_t address) { return FunctionAt(address); }, weight);
}

TEST(ResolveStacks, CallersAreWhereTheirCallIs) {
  // main ends with the call: the return address is leaf's first.
  const std::vector<StackNode> forest = Resolve({{kLeaf, -1, 0}, {kLeaf, 0, 3}});
  EXPECT_EQ(forest[0].function, 0u);
  EXPECT_EQ(forest[0].site, kLeaf - kMain);
  EXPECT_EQ(forest[1].function, 1u);
  EXPECT_EQ(forest[1].parent, 0);
  EXPECT_EQ(forest[1].samples, 3);
}

TEST(ResolveStacks, ParentsMayStandBehindTheirChildren) {
  const std::vector<StackNode> forest = Resolve({{kLeaf, 1, 1}, {kLeaf, -1, 0}});
  EXPECT_EQ(forest[0].function, 1u);
  EXPECT_EQ(forest[1].function, 0u);
}

TEST(ResolveStacks, FramesThatCouldNotBeReadAreMissing) {
  const std::vector<StackNode> forest =
      Resolve({{profile::kFramesMissing, -1, 0}, {profile::kFrameElsewhere, 0, 0}});
  EXPECT_TRUE(forest[0].is_missing);
  EXPECT_EQ(forest[0].function, kNoFunction);
  EXPECT_FALSE(forest[1].is_missing);
  EXPECT_EQ(forest[1].function, kNoFunction);
}

TEST(ResolveStacks, SamplesAreWeighed) {
  EXPECT_EQ(Resolve({{kLeaf, -1, 3}}, 2.5)[0].samples, 7.5);
}

}  // namespace
}  // namespace gprofhub::analyzer
