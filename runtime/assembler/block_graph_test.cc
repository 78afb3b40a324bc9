#include <gtest/gtest.h>

#include <map>
#include <string>

#include "runtime/assembler/block_counters.h"

namespace gprofhub {
namespace {

// The sum of each block, as "+0 -1": counters by number.
std::map<int, std::string> Sums(const std::string& body) {
  std::map<int, std::string> sums;
  const BlockGraph graph = MakeBlockGraph(ReadCode("\t.text\nf:\n" + body));
  for (const Edge& edge : graph.edges) {
    if (!edge.node) continue;
    for (const Term& term : edge.sum) {
      if (!sums[edge.block].empty()) sums[edge.block] += " ";
      sums[edge.block] += (term.less ? "-" : "+") + std::to_string(term.counter);
    }
  }
  return sums;
}

int Counters(const std::string& body) {
  return MakeBlockGraph(ReadCode("\t.text\nf:\n" + body)).counters;
}

TEST(BlockGraphTest, OneBlockTakesOneCounter) {
  EXPECT_EQ(Sums("\tret\n"), (std::map<int, std::string>{{0, "+0"}}));
}

TEST(BlockGraphTest, BlocksThatFollowEachOtherShareACounter) {
  const std::map<int, std::string> sums =
      Sums("\tjmp\t.L2\n.L2:\n\tnop\n\tjmp\t.L3\n.L3:\n\tret\n");
  EXPECT_EQ(sums, (std::map<int, std::string>{{0, "+0"}, {1, "+0"}, {2, "+0"}}));
}

TEST(BlockGraphTest, OfABranchsTwoSidesOneIsCountedAndTheOtherIsWhatIsLeft) {
  const std::string diamond = "\tje\t.L2\n\tnop\n\tjmp\t.L3\n.L2:\n\tnop\n.L3:\n\tret\n";
  EXPECT_EQ(Counters(diamond), 2);
  const std::map<int, std::string> sums = Sums(diamond);
  EXPECT_EQ(sums.at(0), sums.at(3));
  EXPECT_EQ(sums.at(0).size() + sums.at(1).size() + sums.at(2).size(), 2u + 2 + 5);
}

TEST(BlockGraphTest, ALoopIsCountedOutsideItsBody) {
  EXPECT_EQ(Counters("\tnop\n.L2:\n\tnop\n\tjne\t.L2\n\tret\n"), 2);
}

TEST(BlockGraphTest, ACounterIsPutWhereTheFlagsHoldNothing) {
  const Code code = ReadCode("\t.text\nf:\n\tcmpl\t$1, %edi\n\tsetg\t%al\n\tret\n");
  bool safe = false;
  EXPECT_EQ(CounterPosition(code, code.blocks[0], &safe), 0u);
  EXPECT_TRUE(safe);
}

TEST(BlockGraphTest, WhereAllOfABlockNeedsTheFlagsNoPlaceIsSafe) {
  const Code code =
      ReadCode("\t.text\nf:\n\tcmpl\t$1, %edi\n\tjmp\t.L2\n.L2:\n\tja\t.L3\n\tret\n.L3:\n\tret\n");
  ASSERT_TRUE(code.blocks[1].flags_live);
  bool safe = true;
  EXPECT_EQ(CounterPosition(code, code.blocks[1], &safe), code.blocks[1].first_item);
  EXPECT_FALSE(safe);
}

}  // namespace
}  // namespace gprofhub
