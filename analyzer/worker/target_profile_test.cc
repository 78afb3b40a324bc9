#include "analyzer/worker/target_profile.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/recording/perf_text.h"

namespace gprofhub::analyzer {

namespace {

using ::testing::HasSubstr;

TEST(ExactRate, IsTheOnlyRateIfThereIsOne) {
  EXPECT_EQ(*ExactRate({100}), 100);
  EXPECT_EQ(*ExactRate({}), 1);
}

TEST(ExactRate, IsDividedByEveryRate) {
  EXPECT_EQ(*ExactRate({100, 250}), 500);
  EXPECT_EQ(*ExactRate({0, 60, 100}), 300);
}

TEST(ExactRate, MustFitAHeader) {
  EXPECT_EQ(*ExactRate({UINT32_MAX}), UINT32_MAX);
  const absl::Status status = ExactRate({UINT32_MAX, 2}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("too many different sampling rates"));
}

TEST(ChooseRate, IsTheOnlyRateIfThereIsOne) {
  const CommonRate common = ChooseRate({{{"seconds", 100}, {.periods = 40, .samples = 40}}});
  EXPECT_EQ(common.rate, 100);
  EXPECT_EQ(common.Weight("seconds", 100), 1);
}

TEST(ChooseRate, CountsAsManySamplesAsAreAsPreciseAsTheSum) {
  // 1 s from 100 samples and 1 s from 25: the variance is 1/100 + 1/25 = 1/20 of a
  // square second, and 2 s with it are as precise as 80 samples at 40 per second.
  const CommonRate common = ChooseRate({{{"seconds", 100}, {.periods = 100, .samples = 100}},
                                        {{"seconds", 25}, {.periods = 25, .samples = 25}}});
  EXPECT_DOUBLE_EQ(common.rate, 40);
  EXPECT_DOUBLE_EQ(common.Weight("seconds", 100), 0.4);
  EXPECT_DOUBLE_EQ(common.Weight("seconds", 25), 1.6);
}

TEST(ChooseRate, TakesASignalThatCameLateForOneSample) {
  // 25 signals that stand for four periods each.
  const CommonRate common = ChooseRate({{{"seconds", 100}, {.periods = 100, .samples = 25}}});
  EXPECT_DOUBLE_EQ(common.rate, 25);
}

TEST(ChooseRate, LeavesRatesWithoutSamplesOut) {
  const CommonRate common = ChooseRate({{{"seconds", 100}, {.periods = 40, .samples = 40}},
                                        {{"seconds", 1000}, {.periods = 0, .samples = 0}}});
  EXPECT_EQ(common.rate, 100);
}

TEST(ChooseRate, TakesTheDimensionOfMostSamples) {
  const CommonRate common = ChooseRate({{{"seconds", 100}, {.periods = 10, .samples = 10}},
                                        {{"instructions", 7}, {.periods = 90, .samples = 90}}});
  EXPECT_EQ(common.dimension, "instructions");
  EXPECT_EQ(common.rate, 7);
  EXPECT_EQ(common.left_out, 10);
  EXPECT_EQ(common.Weight("seconds", 100), 0);
}

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
