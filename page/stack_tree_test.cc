#include "page/stack_tree.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/memory_budget.h"

namespace gprofhub::page {

namespace {

TEST(StackTreeTest, LinesBecomeBranches) {
  const absl::StatusOr<StackNode> tree =
      StackTree("", "main;parse;next 6\nmain;next 2\nmain 1\n", 1, 0);
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_EQ(tree->after, 9);
  ASSERT_EQ(tree->children.size(), 1u);
  EXPECT_EQ(tree->children[0].name, "main");
  ASSERT_EQ(tree->children[0].children.size(), 2u);
  EXPECT_EQ(tree->children[0].children[1].children[0].after, 6);
}

TEST(StackTreeTest, SidesStandBesideEachOther) {
  const absl::StatusOr<StackNode> tree = StackTree("main;old 10\nmain 2\n", "main;new 4\n", 0.5, 0);
  ASSERT_TRUE(tree.ok());
  const nlohmann::json json = nlohmann::json::parse(StackTreeJson(*tree));
  EXPECT_EQ(json["delta"], -2);
  EXPECT_EQ(json["children"][0]["children"][0]["name"], "new");
  EXPECT_EQ(json["children"][0]["children"][1]["before"], 5);
  EXPECT_EQ(json["children"][0]["children"][1]["value"], 0);
}

TEST(StackTreeTest, WhatIsSmallOnBothSidesIsLeftOut) {
  const absl::StatusOr<StackNode> tree = StackTree("a 1\nb 99\n", "a 50\nb 50\nc 1\n", 1, 0.05);
  ASSERT_TRUE(tree.ok());
  ASSERT_EQ(tree->children.size(), 2u);
  EXPECT_EQ(tree->after, 101);
}

TEST(StackTreeTest, RecursionCountsOnceInTotals) {
  const absl::StatusOr<StackNode> tree =
      StackTree("", "main;walk;walk;walk 5\nmain;walk 1\n", 1, 0);
  ASSERT_TRUE(tree.ok());
  const std::vector<StackCost> costs = CostsOf(*tree, 9);
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_EQ(costs[1].name, "walk");
  EXPECT_EQ(costs[1].total_after, 6);
  EXPECT_EQ(costs[1].self_after, 6);
  EXPECT_EQ(costs[0].self_after, 0);
}

TEST(StackTreeTest, OfTwoProfilesTheLargestChangeComesFirst) {
  const absl::StatusOr<StackNode> tree =
      StackTree("main;a 50\nmain;gone 4\nmain;b 20\nmain;c 5\n",
                "main;a 50\nmain;b 30\nmain;c 4\nmain;fresh 2\n", 1, 0);
  ASSERT_TRUE(tree.ok());
  const std::vector<StackCost> costs = CostsOf(*tree, 9);
  std::vector<std::pair<std::string, StackChange>> changes;
  for (const StackCost& cost : costs) changes.emplace_back(cost.name, ChangeOf(cost));
  const std::vector<std::pair<std::string, StackChange>> expected = {
      {"b", StackChange::kSlower}, {"gone", StackChange::kVanished}, {"fresh", StackChange::kNew},
      {"c", StackChange::kFaster}, {"a", StackChange::kSame},        {"main", StackChange::kSame}};
  EXPECT_EQ(changes, expected);
}

TEST(StackTreeTest, OtherLinesAreRefused) {
  for (const char* text : {"main", "main x", "main -1", "main nan"}) {
    EXPECT_EQ(StackTree("", text, 1, 0).status().code(), absl::StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(StackTreeTest, DepthIsBounded) {
  std::string deep = "f";
  for (int i = 0; i < 5000; ++i) deep += ";f";
  const absl::StatusOr<StackNode> tree = StackTree("", deep + " 1\n", 1, 0);
  ASSERT_TRUE(tree.ok());
  size_t depth = 0;
  for (const StackNode* node = &*tree; !node->children.empty(); node = &node->children[0]) ++depth;
  EXPECT_EQ(depth, 500u);
}

TEST(StackTreeTest, JsonIsAscii) {
  const absl::StatusOr<StackNode> tree = StackTree("", "a\xFF\xE2\x80\xAE</script> 1\n", 1, 0);
  ASSERT_TRUE(tree.ok());
  const std::string json = StackTreeJson(*tree);
  EXPECT_EQ(nlohmann::json::parse(json)["children"][0]["name"], "a<0xFF><U+202E></script>");
}

TEST(StackTreeTest, TheTreeIsBuiltWithinTheBudget) {
  std::string folded;
  for (int i = 0; i < 40000; ++i) absl::StrAppend(&folded, "f", i, ";g 1\n");
  base::MemoryBudget budget(uint64_t{4} << 20, absl::ZeroDuration());
  base::DecodingCall call(budget, "project", nullptr);
  const absl::StatusOr<StackNode> tree = StackTree("", folded, 1, 0, base::Decoding(call));
  EXPECT_TRUE(absl::IsInvalidArgument(tree.status())) << tree.status();
  EXPECT_EQ(call.used(), 0);
  EXPECT_TRUE(StackTree("", "f;g 1\n", 1, 0, base::Decoding(call)).ok());
}

}  // namespace

}  // namespace gprofhub::page
