#include "analyzer/target/sampled_profile.h"

#include <gtest/gtest.h>

#include "profile/stacks/perf_text.h"

namespace gprofhub::analyzer {
namespace {

profile::SymbolTable Program() {
  profile::SymbolTable program;
  program.build_id = "00ff";
  program.image_name = "app";
  program.text_high = 0x2000;
  program.files = {"", "parse.cc"};
  uint64_t address = 0x1000;
  for (const char* name : {"main", "parse", "next"}) {
    profile::FunctionSymbol symbol;
    symbol.name = name;
    symbol.address = address += 0x100;
    symbol.size = 100;
    symbol.is_function = true;
    program.functions.push_back(symbol);
  }
  program.functions[2].is_local = true;
  program.functions[2].file = 1;
  program.lines = {{0x1100, 1, 10}, {0x1130, 1, 12}, {0x1150, 0, 0}};
  return program;
}

profile::ImageStacks Stacks(const char* text, const profile::SymbolTable& program) {
  return profile::ResolveStacks(*profile::ParseSampledStacks(text, "p"), program, "p")->stacks;
}

TEST(SampledProfile, CallsAreTheSamplesThatSawThem) {
  const profile::SymbolTable program = Program();
  SampledProfile sum;
  sum.Add(Stacks("app 1 8.25: cycles:\n\t1310 next+0x10 (/app)\n\t1220 parse+0x20 (/app)\n"
                 "\t1140 main+0x40 (/app)\n",
                 program),
          program);
  sum.Add(Stacks("main;parse 3\nmain;memcpy 2\n", program), program);
  const profile::ComputedProfile profile = sum.Take();
  EXPECT_TRUE(profile.sampled_calls);
  EXPECT_EQ(profile.dimension, "samples");
  EXPECT_EQ(profile.total_samples, 6);
  EXPECT_EQ(profile.unattributed_samples, 2);
  ASSERT_EQ(profile.functions.size(), 3u);
  EXPECT_EQ(profile.strings[profile.functions[0].name], "main");
  EXPECT_EQ(profile.functions[0].self_samples, 0);
  EXPECT_EQ(profile.functions[0].child_samples, 6);
  EXPECT_EQ(profile.functions[1].calls, 4u);
  EXPECT_EQ(profile.functions[1].self_samples, 3);
  EXPECT_EQ(profile.functions[1].size, 100u);
  EXPECT_TRUE(profile.functions[2].is_static);
  EXPECT_EQ(profile.strings[profile.functions[2].file], "parse.cc");
  // From an unknown place in main, from a known one, and parse to next.
  ASSERT_EQ(profile.arcs.size(), 3u);
  EXPECT_EQ(profile.arcs[0].count, 3u);
  EXPECT_EQ(profile.arcs[1].site_offset, 0x40u);
  EXPECT_EQ(profile.arcs[1].site_line, 12u);
  EXPECT_EQ(profile.arcs[1].count, 1u);
  EXPECT_EQ(profile.arcs[2].caller, 1u);
}

TEST(SampledProfile, CountsACallOncePerStackWhateverTheRecursion) {
  const profile::SymbolTable program = Program();
  SampledProfile sum;
  sum.Add(Stacks("main;parse;main;parse;parse 5\n", program), program);
  const profile::ComputedProfile profile = sum.Take();
  ASSERT_EQ(profile.arcs.size(), 3u);
  for (const profile::ArcCost& arc : profile.arcs) EXPECT_EQ(arc.count, 5u);
  EXPECT_EQ(profile.functions[0].child_samples, 5);
  EXPECT_EQ(profile.functions[1].self_samples, 5);
  EXPECT_EQ(profile.functions[1].child_samples, 0);
  EXPECT_EQ(profile.functions[1].self_calls, 5u);
}

TEST(SampledProfile, NoCallLeadsThroughUnknownCode) {
  const profile::SymbolTable program = Program();
  SampledProfile sum;
  sum.Add(Stacks("main;[unknown];next 5\n", program), program);
  const profile::ComputedProfile profile = sum.Take();
  EXPECT_EQ(profile.functions.size(), 2u);
  EXPECT_TRUE(profile.arcs.empty());
}

}  // namespace
}  // namespace gprofhub::analyzer
