#include "runtime/assembler/instructions.h"

#include <gtest/gtest.h>

namespace gprofhub {
namespace {

TEST(InstructionsTest, FlagsAreReadByWhatDependsOnThem) {
  for (const char* reader : {"je", "jbe", "setg", "cmovneq", "adcl", "sbbq", "rcll", "pushfq"}) {
    EXPECT_EQ(FlagsUseOf(reader), FlagsUse::kRead) << reader;
  }
}

TEST(InstructionsTest, FlagsAreWrittenWithAndWithoutASizeInTheName) {
  for (const char* writer : {"add", "addl", "cmpb", "testq", "xorl", "imulq", "ucomisd"}) {
    EXPECT_EQ(FlagsUseOf(writer), FlagsUse::kWritten) << writer;
  }
}

// inc keeps the carry, a shift by 0 keeps all flags: neither makes them dead.
TEST(InstructionsTest, FlagsThatMayBeKeptAreNotWritten) {
  for (const char* keeper : {"movl", "leaq", "incl", "shll", "notl", "push"}) {
    EXPECT_EQ(FlagsUseOf(keeper), FlagsUse::kNone) << keeper;
  }
}

TEST(InstructionsTest, ConditionalJumpsAreTold) {
  EXPECT_TRUE(IsConditional("jne"));
  EXPECT_TRUE(IsConditional("jrcxz"));
  EXPECT_TRUE(IsConditional("loopne"));
  EXPECT_TRUE(IsConditional("xbegin"));
  EXPECT_FALSE(IsConditional("jmp"));
  EXPECT_FALSE(IsConditional("jmpq"));
}

TEST(InstructionsTest, CalleesAreKnownByName) {
  EXPECT_TRUE(AlwaysReturns("memcpy"));
  EXPECT_FALSE(AlwaysReturns("qsort"));  // its comparator may throw
  EXPECT_TRUE(NeverReturns("__cxa_throw"));
  EXPECT_TRUE(NeverReturns("_ZSt20__throw_length_errorPKc"));
  EXPECT_FALSE(NeverReturns("printf"));
}

TEST(InstructionsTest, OwnAssemblyMayBranchIfItNamesALabelOrAnInstructionThatDoes) {
  EXPECT_TRUE(MayBranch("\tjmp\t.L3\n"));
  EXPECT_TRUE(MayBranch("\tsyscall\n"));
  EXPECT_FALSE(MayBranch("\tmovl\t$1, %eax\n"));
}

}  // namespace
}  // namespace gprofhub
