#include "analyzer/compute_profile.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gprofhub {
namespace {

SymbolTable Symbols(const std::string& image) {
  SymbolTable symbols;
  symbols.build_id = "id-" + image;
  symbols.image_name = image;
  symbols.text_low = 0x1000;
  symbols.text_high = 0x1100;
  symbols.files = {"", "main.cc"};
  const auto add = [&](uint64_t address, uint64_t size, const std::string& name, bool is_local) {
    FunctionSymbol symbol;
    symbol.address = address;
    symbol.size = size;
    symbol.name = name;
    symbol.is_local = is_local;
    symbol.is_function = true;
    symbols.functions.push_back(symbol);
  };
  add(0x1000, 0x20, "main", false);
  add(0x1020, 0x20, "work", false);
  add(0x1040, 0x10, "work.part.0", true);
  add(0x1050, 0x10, "unused", false);
  symbols.lines = {{0x1000, 1, 10}, {0x1008, 1, 11}, {0x1010, 1, 12},
                   {0x1020, 1, 20}, {0x1040, 1, 25}, {0x1060, 0, 0}};
  return symbols;
}

RawProfile Data() {
  RawProfile data;
  Histogram histogram;
  histogram.low_pc = 0x1000;
  histogram.high_pc = 0x1080;
  histogram.rate = 100;
  histogram.bins = {2, 10, 4, 1};  // main, work, work.part.0 + unused, nothing
  histogram.bins[2] = 0;
  data.histograms = {histogram};
  data.arcs = {{0x1008, 0x1020, 3},
               {0x1010, 0x1020, 1},
               {0x1030, 0x1040, 8},
               {0, 0x1000, 1},
               {0x1008, 0x9000, 5}};
  return data;
}

std::string Name(const ComputedProfile& profile, uint32_t row) {
  return profile.strings[profile.functions[row].name];
}

TEST(ComputeProfile, GivesFunctionsClonesAndCallSites) {
  const SymbolTable symbols = Symbols("app");
  ComputeOptions options;
  options.repetitions = 3;
  options.profiles = 6;
  const auto profile = ComputeProfile({{&symbols, Data()}}, options);
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->repetitions, 3u);
  EXPECT_EQ(profile->profiles, 6u);
  EXPECT_EQ(profile->sample_rate, 100);

  ASSERT_EQ(profile->functions.size(), 3u);  // "unused" is left out
  EXPECT_EQ(Name(*profile, 0), "main");
  EXPECT_EQ(Name(*profile, 1), "work");
  EXPECT_EQ(Name(*profile, 2), "work.part.0");
  EXPECT_EQ(profile->functions[1].calls, 4u);
  EXPECT_EQ(profile->functions[2].calls, 8u);
  EXPECT_TRUE(profile->functions[2].is_static);
  EXPECT_EQ(profile->functions[1].line, 20u);
  EXPECT_EQ(profile->strings[profile->functions[1].file], "main.cc");
  EXPECT_DOUBLE_EQ(profile->functions[0].self_samples, 2);
  EXPECT_DOUBLE_EQ(profile->functions[0].child_samples, 10);

  ASSERT_EQ(profile->arcs.size(), 4u);
  EXPECT_EQ(profile->arcs[0].site_offset, 8u);
  EXPECT_EQ(profile->arcs[0].site_line, 10u);  // of the call, not of what follows it
  EXPECT_EQ(profile->arcs[0].count, 3u);
  EXPECT_DOUBLE_EQ(profile->arcs[0].self_samples, 7.5);
  EXPECT_EQ(profile->arcs[1].site_line, 11u);
  EXPECT_DOUBLE_EQ(profile->arcs[1].self_samples, 2.5);
  EXPECT_EQ(profile->arcs[3].caller, profile->functions.size());  // spontaneous
  EXPECT_EQ(profile->arcs[3].callee, 0u);
}

TEST(ComputeProfile, WarnsOfWhatLiesInNoFunction) {
  const SymbolTable symbols = Symbols("app");
  const auto profile = ComputeProfile({{&symbols, Data()}}, {});
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_DOUBLE_EQ(profile->total_samples, 13);
  EXPECT_DOUBLE_EQ(profile->unattributed_samples, 1);
  ASSERT_EQ(profile->warnings.size(), 2u);
  EXPECT_NE(profile->warnings[0].find("1 of 13 samples"), std::string::npos);
  EXPECT_NE(profile->warnings[1].find("5 calls"), std::string::npos);
}

TEST(ComputeProfile, DoesNotDependOnTheOrderOfInput) {
  const SymbolTable app = Symbols("app");
  const SymbolTable tool = Symbols("tool");
  RawProfile reversed = Data();
  std::reverse(reversed.arcs.begin(), reversed.arcs.end());
  const auto one = ComputeProfile({{&app, Data()}, {&tool, Data()}}, {});
  const auto two = ComputeProfile({{&tool, reversed}, {&app, reversed}}, {});
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_EQ(one->strings, two->strings);
  EXPECT_EQ(one->warnings, two->warnings);
  ASSERT_EQ(one->functions.size(), 6u);
  ASSERT_EQ(two->functions.size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(one->functions[i].name, two->functions[i].name);
    EXPECT_EQ(one->functions[i].image, two->functions[i].image);
    EXPECT_EQ(one->functions[i].child_samples, two->functions[i].child_samples);
  }
  ASSERT_EQ(one->arcs.size(), two->arcs.size());
  for (size_t i = 0; i < one->arcs.size(); ++i) {
    EXPECT_EQ(one->arcs[i].caller, two->arcs[i].caller);
    EXPECT_EQ(one->arcs[i].callee, two->arcs[i].callee);
    EXPECT_EQ(one->arcs[i].count, two->arcs[i].count);
  }
}

TEST(ComputeProfile, RefusesHistogramsOfDifferentRates) {
  const SymbolTable app = Symbols("app");
  const SymbolTable tool = Symbols("tool");
  RawProfile faster = Data();
  faster.histograms[0].rate = 1000;
  const auto profile = ComputeProfile({{&app, Data()}, {&tool, faster}}, {});
  EXPECT_EQ(profile.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace gprofhub
