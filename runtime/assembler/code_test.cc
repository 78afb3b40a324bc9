#include "runtime/assembler/code.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace gprofhub {
namespace {

// Code refers to its text by offset only.
Code Read(const std::string& body) { return ReadCode("\t.text\nf:\n" + body); }

std::string ItemText(const std::string& text, const CodeItem& item) {
  return text.substr(item.begin, item.end - item.begin);
}

TEST(CodeTest, AStraightFunctionIsOneBlockThatLeaves) {
  const std::string text = "\t.text\nf:\n\tmovl\t$1, %eax\n\tret\n";
  const Code code = ReadCode(text);
  ASSERT_EQ(code.blocks.size(), 1u);
  EXPECT_TRUE(code.blocks[0].entered);
  EXPECT_EQ(code.blocks[0].end, BlockEnd::kLeaves);
  ASSERT_EQ(code.items.size(), 2u);
  EXPECT_EQ(ItemText(text, code.items[0]), "\tmovl\t$1, %eax");
  EXPECT_EQ(ItemText(text, code.items[1]), "\tret");
}

TEST(CodeTest, AConditionalJumpGoesToItsTargetOrOn) {
  const Code code = Read("\tje\t.L2\n\tnop\n.L2:\n\tret\n");
  ASSERT_EQ(code.blocks.size(), 3u);
  EXPECT_EQ(code.blocks[0].end, BlockEnd::kConditional);
  EXPECT_EQ(code.blocks[0].target, 2);
  EXPECT_EQ(code.blocks[0].next, 1);
  EXPECT_EQ(code.blocks[1].end, BlockEnd::kFallsThrough);
  EXPECT_EQ(code.blocks[1].next, 2);
  EXPECT_FALSE(code.blocks[2].entered);
}

TEST(CodeTest, AJumpGoesToItsTargetAlone) {
  const Code code = Read(".L1:\n\tnop\n\tjmp\t.L1\n");
  ASSERT_EQ(code.blocks.size(), 1u);
  EXPECT_EQ(code.blocks[0].end, BlockEnd::kJump);
  EXPECT_EQ(code.blocks[0].target, 0);
  EXPECT_EQ(code.blocks[0].next, -1);
}

TEST(CodeTest, AJumpToAFunctionLeaves) {
  const Code code = Read("\tjmp\tg\ng:\n\tret\n");
  EXPECT_EQ(code.blocks[0].end, BlockEnd::kLeaves);
  EXPECT_EQ(code.blocks[0].target, -1);
}

TEST(CodeTest, ACallEndsABlockUnlessItIsKnownToReturn) {
  EXPECT_EQ(Read("\tcall\tg@PLT\n\tret\n").blocks.size(), 2u);
  EXPECT_EQ(Read("\tcall\tg@PLT\n\tret\n").blocks[0].end, BlockEnd::kCall);
  EXPECT_EQ(Read("\tcall\tmemcpy@PLT\n\tret\n").blocks.size(), 1u);
  EXPECT_EQ(Read("\tcall\t*memcpy@GOTPCREL(%rip)\n\tret\n").blocks.size(), 1u);
  EXPECT_EQ(Read("\tcall\t*%rax\n\tret\n").blocks[0].end, BlockEnd::kCall);
  EXPECT_EQ(Read("\tcall\tabort@PLT\n\tnop\n").blocks[0].end, BlockEnd::kLeaves);
}

TEST(CodeTest, AFunctionOfTheFileIsKnownToReturnIfAllThatItCallsIs) {
  EXPECT_EQ(Read("\tcall\tg\n\tret\ng:\n\tcall\tfree@PLT\n\tret\n").blocks.size(), 2u);
  EXPECT_EQ(Read("\tcall\tg\n\tret\ng:\n\tcall\t*%rax\n\tret\n").blocks.size(), 4u);
  // It leaves by a jump to code outside the file.
  EXPECT_EQ(Read("\tcall\tg\n\tret\ng:\n\tjmp\t*%rax\n").blocks[0].end, BlockEnd::kCall);
}

TEST(CodeTest, ALabelThatIsNotOnlyJumpedToIsEnteredFromAnywhere) {
  const Code by_table = Read("\tjmp\t*%rax\n.L2:\n\tret\n\t.section\t.rodata\n\t.quad\t.L2\n");
  ASSERT_EQ(by_table.blocks.size(), 2u);
  EXPECT_TRUE(by_table.blocks[1].entered);
  const Code by_address = Read("\tleaq\t.L2(%rip), %rax\n.L2:\n\tret\n");
  ASSERT_EQ(by_address.blocks.size(), 2u);
  EXPECT_TRUE(by_address.blocks[1].entered);
}

TEST(CodeTest, ALabelThatNobodyNamesBeginsNothing) {
  EXPECT_EQ(Read("\tnop\n.LVL3:\n\tret\n").blocks.size(), 1u);
  EXPECT_EQ(Read("\tnop\n.L3:\n\tret\n\t.section\t.debug_loc,\"\",@progbits\n\t.quad\t.L3\n")
                .blocks.size(),
            1u);
}

TEST(CodeTest, ItemsKnowTheirLines) {
  const Code code = Read("\t.loc 1 7 3\n\tnop\n\tnop\n\t.loc 2 9 1\n\tret\n");
  ASSERT_EQ(code.items.size(), 3u);
  EXPECT_EQ(code.items[1].file, 1u);
  EXPECT_EQ(code.items[1].line, 7u);
  EXPECT_EQ(code.items[2].file, 2u);
  EXPECT_EQ(code.items[2].line, 9u);
}

TEST(CodeTest, FlagsAreLiveWhereTheyAreReadBeforeTheyAreWritten) {
  const Code code =
      Read("\tcmpl\t$1, %edi\n\tje\t.L2\n\tmovl\t$1, %eax\n.L2:\n\tsetg\t%al\n\tret\n");
  ASSERT_EQ(code.blocks.size(), 3u);
  EXPECT_FALSE(code.blocks[0].flags_live);
  EXPECT_TRUE(code.blocks[1].flags_live);  // they are live throughout
  EXPECT_TRUE(code.blocks[2].flags_live);
}

TEST(CodeTest, NothingComesBetweenAPrefixAndItsInstruction) {
  const Code code = Read("\tlock\n\tincl\t(%rdi)\n\trep movsb\n\tret\n");
  ASSERT_EQ(code.items.size(), 4u);
  EXPECT_TRUE(code.items[0].with_next);
  EXPECT_FALSE(code.items[1].with_next);
  EXPECT_FALSE(code.items[2].with_next);
}

TEST(CodeTest, TheUsersOwnAssemblyIsOneItem) {
  const Code code = Read("#APP\n\tnop\n\tnop\n#NO_APP\n\tret\n");
  EXPECT_EQ(code.items.size(), 2u);
  // Its possible targets are unknown.
  const Code jumping = Read("#APP\n\tjmp\t.L2\n#NO_APP\n\tnop\n.L2:\n\tret\n");
  EXPECT_EQ(jumping.blocks[0].end, BlockEnd::kCall);
  EXPECT_TRUE(jumping.blocks.back().entered);
}

TEST(CodeTest, BlocksOfInterleavedSectionsStayWhole) {
  const std::string text =
      "\t.text\nf:\n\tnop\n\t.section\t.text.unlikely,\"ax\",@progbits\nf.cold:\n\thlt\n\t.text\n"
      "\tret\n";
  const Code code = ReadCode(text);
  ASSERT_EQ(code.blocks.size(), 2u);
  EXPECT_EQ(code.blocks[0].items_end - code.blocks[0].first_item, 2u);
  EXPECT_EQ(ItemText(text, code.items[code.blocks[0].first_item + 1]), "\tret");
  EXPECT_FALSE(code.blocks[0].cold);
  EXPECT_TRUE(code.blocks[1].cold);
}

}  // namespace
}  // namespace gprofhub
