#include "runtime/assembler/statements.h"

#include <gtest/gtest.h>

namespace gprofhub {
namespace {

using Views = std::vector<std::string_view>;

TEST(StatementsTest, ALineHasALabelAMnemonicOperandsAndAComment) {
  const Statement statement = ParseStatement(".L3:\tmovl\t$1, %eax # set it");
  EXPECT_EQ(statement.label, ".L3");
  EXPECT_EQ(statement.mnemonic, "movl");
  EXPECT_EQ(statement.operands, "$1, %eax");
  EXPECT_EQ(statement.comment, "# set it");
}

TEST(StatementsTest, APrefixIsNotTheMnemonic) {
  const Statement statement = ParseStatement("\tnotrack jmp\t*%rax");
  EXPECT_EQ(statement.prefix, "notrack");
  EXPECT_EQ(statement.mnemonic, "jmp");
  EXPECT_EQ(statement.operands, "*%rax");
}

TEST(StatementsTest, QuotesHideCommentsCommasAndSymbols) {
  const Statement statement = ParseStatement("\t.section\t\".text#x\",\"a,x\\\"\",@progbits");
  EXPECT_EQ(statement.comment, "");
  EXPECT_EQ(SplitOperands(statement.operands), (Views{"\".text#x\"", "\"a,x\\\"\"", "@progbits"}));
  EXPECT_EQ(SymbolsIn(statement.operands), Views{"progbits"});
}

TEST(StatementsTest, AQuotedLabelIsALabel) {
  EXPECT_EQ(ParseStatement("\"a b\":").label, "\"a b\"");
}

TEST(StatementsTest, AStringWithoutAnEndEndsWithTheLine) {
  EXPECT_EQ(ParseStatement("\t.ascii\t\"abc").operands, "\"abc");
  EXPECT_EQ(ParseStatement("\t.ascii\t\"abc\\").operands, "\"abc\\");
}

TEST(StatementsTest, SymbolsStandWithoutTheirRelocations) {
  EXPECT_EQ(SymbolsIn("*f@GOTPCREL(%rip)"), (Views{"f", "GOTPCREL", "rip"}));
  EXPECT_EQ(SymbolsIn(".L2-.L1"), (Views{".L2", ".L1"}));
}

TEST(StatementsTest, ADirectTargetIsANameOrItsLinkageTableEntry) {
  EXPECT_EQ(DirectTarget("f"), "f");
  EXPECT_EQ(DirectTarget("f@PLT"), "f");
  EXPECT_EQ(DirectTarget("*%rax"), "");
  EXPECT_EQ(DirectTarget("f+4"), "");
  EXPECT_EQ(DirectTarget(""), "");
}

}  // namespace
}  // namespace gprofhub
