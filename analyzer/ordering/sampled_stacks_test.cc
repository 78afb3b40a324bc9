#include "analyzer/ordering/sampled_stacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gprofhub {
namespace {

using ::testing::HasSubstr;

constexpr char kFolded[] =
    "app;main;parse;next 12\n"
    "app;main;operator new(unsigned long);[libc.so.6];do_syscall_64_[k] 3\n";

constexpr char kScript[] =
    "app 4411 [001] 8.25:     250000 cycles:u: \n"
    "\t    5581c0 next+0x10 (/srv/app)\n"
    "\t    558100 Parser::parse(char const*)+0x1d (/srv/app)\n"
    "\t    558050 small (inlined)\n"
    "\t    558000 main+0x40 (/srv/app)\n"
    "\t  7f0001d0 [unknown] (/lib/libc.so.6)\n"
    "\n"
    "app 4411 [001] 8.26:     250000 cycles:u: \n"
    "\tffffffff8100 asm_exc_page_fault+0x1 ([kernel.kallsyms])\n"
    "\t    5581c8 next+0x18 (/srv/app)\n"
    "\n";

SymbolTable Program() {
  SymbolTable program;
  program.files = {"", "parse.cc"};
  const char* names[] = {"main", "_ZN6Parser5parseEPKc", "next"};
  for (const char* name : names) {
    FunctionSymbol symbol;
    symbol.name = name;
    symbol.size = 100;
    symbol.is_function = true;
    program.functions.push_back(symbol);
  }
  program.functions[2].is_local = true;
  program.functions[2].file = 1;
  return program;
}

TEST(SampledStacks, ReadsFoldedStacksWithoutTheKernelsFrames) {
  const auto stacks = ParseSampledStacks(kFolded, "p");
  ASSERT_TRUE(stacks.ok()) << stacks.status();
  ASSERT_EQ(stacks->size(), 2u);
  EXPECT_EQ((*stacks)[0].samples, 12u);
  EXPECT_EQ((*stacks)[0].frames.size(), 4u);
  ASSERT_EQ((*stacks)[1].frames.size(), 3u);
  EXPECT_EQ((*stacks)[1].frames[2].function, "operator new(unsigned long)");
}

TEST(SampledStacks, ReadsWhatPerfScriptPrintsOutermostFirst) {
  const auto stacks = ParseSampledStacks(kScript, "p");
  ASSERT_TRUE(stacks.ok()) << stacks.status();
  ASSERT_EQ(stacks->size(), 2u);
  const std::vector<SampledFrame>& frames = (*stacks)[0].frames;
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].function, "main");
  EXPECT_EQ(frames[0].offset, 0x40u);
  EXPECT_EQ(frames[1].function, "Parser::parse(char const*)");
  ASSERT_EQ((*stacks)[1].frames.size(), 1u);
}

TEST(SampledStacks, ReadsEventsWithoutACallGraph) {
  // The command's name is set to the right, and may look like an address.
  const auto stacks = ParseSampledStacks(
      "              dd 11518 15700.735769:     500000 cpu-clock:      55d4c0 parse+0x1d "
      "(/bin/dd)\n"
      "          parser 11518 [001] 15700.83:   500000 cpu-clock:      55d4f0 next+0x1d (/bin/p)\n",
      "p");
  ASSERT_TRUE(stacks.ok()) << stacks.status();
  ASSERT_EQ(stacks->size(), 2u);
  EXPECT_EQ((*stacks)[0].frames[0].function, "parse");
  EXPECT_EQ((*stacks)[1].frames[0].function, "next");
}

TEST(SampledStacks, ReadsStacksWithoutTheirEvents) {
  constexpr char kFrames[] = "\n\t   55d4c0 next\n\t   55d400 main\n\n\t  55d4c0 parse\n\n";
  EXPECT_TRUE(IsSampledStacks(kFrames));
  const auto stacks = ParseSampledStacks(kFrames, "p");
  ASSERT_TRUE(stacks.ok()) << stacks.status();
  ASSERT_EQ(stacks->size(), 2u);
  EXPECT_EQ((*stacks)[0].frames[0].function, "main");
  EXPECT_EQ((*stacks)[1].samples, 1u);
}

TEST(SampledStacks, FindsTheProgramsFunctionsByTheNamesThatPeopleRead) {
  const SymbolTable program = Program();
  const auto profile = ProfileOfStacks(*ParseSampledStacks(kScript, "p"), &program, "p");
  ASSERT_TRUE(profile.ok()) << profile.status();
  ASSERT_EQ(profile->functions.size(), 3u);
  EXPECT_EQ(profile->strings[profile->functions[1].name], "_ZN6Parser5parseEPKc");
  EXPECT_EQ(profile->functions[1].size, 100u);
  EXPECT_TRUE(profile->functions[2].is_static);
  EXPECT_EQ(profile->strings[profile->functions[2].file], "parse.cc");
  ASSERT_EQ(profile->arcs.size(), 2u);
  EXPECT_EQ(profile->arcs[0].site_offset, 0x40u);
  EXPECT_EQ(profile->arcs[0].count, 1u);
}

TEST(SampledStacks, CountsACallOncePerStackWhateverTheRecursion) {
  const auto profile = ProfileOfStacks(*ParseSampledStacks("a;b;a;b;a;b 5\n", "p"), nullptr, "p");
  ASSERT_TRUE(profile.ok()) << profile.status();
  ASSERT_EQ(profile->arcs.size(), 2u);
  EXPECT_EQ(profile->arcs[0].count, 5u);
}

TEST(SampledStacks, AsksForTheProgramWhereNamesArePeoples) {
  const auto profile =
      ProfileOfStacks(*ParseSampledStacks("f(int);g(int) 5\n", "p.folded"), nullptr, "p.folded");
  EXPECT_THAT(std::string(profile.status().message()), HasSubstr("--image"));
}

TEST(SampledStacks, NamesTheLineThatIsOfNeitherForm) {
  const auto stacks = ParseSampledStacks("a;b 5\nwhat is this\n", "p.folded");
  EXPECT_THAT(std::string(stacks.status().message()), HasSubstr("p.folded: line 2: \"what is"));
  EXPECT_FALSE(ParseSampledStacks("", "p").ok());
  EXPECT_FALSE(ParseSampledStacks("a;b 99999999999999999999\n", "p").ok());
}

TEST(SampledStacks, KnowsItsFormsFromOthers) {
  EXPECT_TRUE(IsSampledStacks(kFolded));
  EXPECT_TRUE(IsSampledStacks(kScript));
  EXPECT_FALSE(IsSampledStacks("# gprofhub function ordering\nmain\n"));
  EXPECT_FALSE(IsSampledStacks(std::string("gmon\0\0;x 1", 10)));
  EXPECT_FALSE(IsSampledStacks(""));
}

}  // namespace
}  // namespace gprofhub
