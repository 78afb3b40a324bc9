#include "analyzer/worker/compute_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace gprofhub::analyzer {

namespace {

TEST(SiteArcTest, MakesOneOfThoseBetweenTheSamePlaces) {
  std::vector<SiteArc> arcs = {
      {2, 5, 1, 10, 0, 0}, {0, 7, 2, 1, 1.5, 0}, {2, 5, 1, 3, 0, 2}, {0, 7, 2, 1, 0.5, 1}};
  MergeSiteArcs(3, arcs);
  ASSERT_EQ(arcs.size(), 2);
  EXPECT_EQ(Key(arcs[0]), std::tuple(0u, uint64_t{7}, 2u));
  EXPECT_EQ(arcs[0].count, 2);
  EXPECT_EQ(arcs[0].self, 2);
  EXPECT_EQ(arcs[0].child, 1);
  EXPECT_EQ(arcs[1].count, 13);
}

TEST(SiteArcTest, KeepsApartWhatDiffersInOnePlace) {
  std::vector<SiteArc> arcs = {
      {1, 1, 1, 1, 0, 0}, {0, 1, 1, 1, 0, 0}, {1, 0, 1, 1, 0, 0}, {1, 1, 0, 1, 0, 0}};
  MergeSiteArcs(2, arcs);
  EXPECT_EQ(arcs.size(), 4);
}

TEST(SiteArcTest, SortsByCallerThenPlaceThenCallee) {
  std::mt19937 random(1);
  std::vector<SiteArc> arcs;
  for (int i = 0; i < 2000; ++i) {
    arcs.push_back({static_cast<uint32_t>(random() % 20), random() % 9,
                    static_cast<uint32_t>(random() % 20), 1, 0, 0});
  }
  MergeSiteArcs(20, arcs);
  EXPECT_TRUE(std::is_sorted(arcs.begin(), arcs.end(),
                             [](const SiteArc& a, const SiteArc& b) { return Key(a) < Key(b); }));
  uint64_t calls = 0;
  for (const SiteArc& arc : arcs) calls += arc.count;
  EXPECT_EQ(calls, 2000);
}

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// With functions of 16 bytes, one after the other.
profile::SymbolTable Symbols(size_t functions) {
  profile::SymbolTable symbols;
  symbols.text_low = 0x1000;
  symbols.text_high = 0x1000 + 16 * functions;
  for (size_t i = 0; i < functions; ++i) {
    profile::FunctionSymbol symbol;
    symbol.address = symbols.text_low + 16 * i;
    symbol.size = 16;
    symbol.name = "f" + std::to_string(i);
    symbol.is_function = true;
    symbols.functions.push_back(symbol);
  }
  return symbols;
}

// A bin for each 16 bytes.
profile::Histogram Histogram(std::vector<uint64_t> bins, uint32_t rate = 100,
                             const std::string& dimension = "seconds") {
  profile::Histogram histogram;
  histogram.low_pc = 0x1000;
  histogram.high_pc = 0x1000 + 16 * bins.size();
  histogram.rate = rate;
  histogram.dimension = dimension;
  histogram.bins = std::move(bins);
  return histogram;
}

TargetModule Module(const std::string& name, const profile::SymbolTable* symbols,
                    std::vector<profile::Histogram> histograms) {
  TargetModule module;
  module.name = name;
  module.symbols = symbols;
  module.histograms = std::move(histograms);
  return module;
}

struct Result {
  std::vector<double> samples;
  profile::ComputedProfile profile;
};

Result SamplesOf(const TargetProfile& target) {
  Result result;
  result.samples = SamplesOfFunctions(target, FunctionSpace(target.modules),
                                      ChooseRate(target.sampling), result.profile);
  return result;
}

TEST(TargetSamples, AreThoseOfAllModules) {
  const profile::SymbolTable program = Symbols(2);
  TargetProfile target;
  target.modules = {Module("a", &program, {Histogram({3, 4})}),
                    Module("libc.so.6", nullptr, {Histogram({5, 6, 7})})};
  target.sampling[{"seconds", 100}] = {25, 25, 0, 0};
  const Result result = SamplesOf(target);
  EXPECT_THAT(result.samples, ElementsAre(3, 4, 18, 0));
  EXPECT_EQ(result.profile.total_samples, 25);
  EXPECT_EQ(result.profile.unattributed_samples, 0);
  EXPECT_EQ(result.profile.sample_rate, 100);
  EXPECT_EQ(result.profile.dimension, "seconds");
  EXPECT_THAT(result.profile.warnings, IsEmpty());
}

TEST(TargetSamples, OfSeveralRatesCountAtOne) {
  const profile::SymbolTable program = Symbols(1);
  TargetProfile target;
  target.modules = {Module("a", &program, {Histogram({10}, 100), Histogram({50}, 250)})};
  target.sampling[{"seconds", 100}] = {10, 10, 0, 0};
  target.sampling[{"seconds", 250}] = {50, 50, 0, 0};
  const Result result = SamplesOf(target);
  const double seconds = 10.0 / 100 + 50.0 / 250;
  EXPECT_THAT(result.samples, ElementsAre(DoubleEq(seconds * result.profile.sample_rate), 0));
}

TEST(TargetSamples, InNoFunctionAreCountedAndSaid) {
  const profile::SymbolTable program = Symbols(1);
  TargetProfile target;
  target.modules = {Module("a", &program, {Histogram({3, 4})})};
  target.sampling[{"seconds", 100}] = {7, 7, 0, 0};
  const Result result = SamplesOf(target);
  EXPECT_THAT(result.samples, ElementsAre(3, 0));
  EXPECT_EQ(result.profile.total_samples, 7);
  EXPECT_EQ(result.profile.unattributed_samples, 4);
  EXPECT_THAT(result.profile.warnings,
              ElementsAre("a: 4 of 7 samples are outside the functions of the image"));
}

TEST(TargetSamples, OfTheRuntimeAndOfNoModuleAreCounted) {
  TargetProfile target;
  target.sampling[{"seconds", 100}] = {15, 15, 5, 10};
  const Result result = SamplesOf(target);
  EXPECT_THAT(result.samples, ElementsAre(0));
  EXPECT_EQ(result.profile.overhead_samples, 5);
  EXPECT_EQ(result.profile.total_samples, 10);
  EXPECT_EQ(result.profile.unattributed_samples, 10);
}

TEST(TargetSamples, OfAnotherDimensionAreLeftOutAndSaid) {
  const profile::SymbolTable program = Symbols(1);
  TargetProfile target;
  target.modules = {Module("a", &program, {Histogram({2}, 1, "cycles"), Histogram({30})})};
  target.sampling[{"cycles", 1}] = {2, 2, 0, 0};
  target.sampling[{"seconds", 100}] = {30, 30, 0, 0};
  const Result result = SamplesOf(target);
  EXPECT_THAT(result.samples, ElementsAre(30, 0));
  EXPECT_EQ(result.profile.total_samples, 30);
  EXPECT_THAT(result.profile.warnings,
              ElementsAre("2 samples that do not count seconds are skipped; record all profiles "
                          "of a target in one dimension"));
}

profile::SymbolTable Symbols(const std::string& image) {
  profile::SymbolTable symbols;
  symbols.build_id = "id-" + image;
  symbols.image_name = image;
  symbols.text_low = 0x1000;
  symbols.text_high = 0x1100;
  symbols.files = {"", "main.cc"};
  const auto add = [&](uint64_t address, uint64_t size, const std::string& name, bool is_local) {
    profile::FunctionSymbol symbol;
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

profile::RawProfile Data() {
  profile::RawProfile data;
  profile::Histogram histogram;
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

profile::ComputedProfile Compute(
    std::vector<std::pair<const profile::SymbolTable*, profile::RawProfile>> profiles,
    const ComputeOptions& options = {}) {
  TargetSum sum;
  for (auto& [symbols, data] : profiles) {
    EXPECT_TRUE(sum.AddProfile(*symbols, std::move(data)).ok());
  }
  return ComputeProfile(sum.Take(), options);
}

std::string Name(const profile::ComputedProfile& profile, uint32_t row) {
  return std::string(profile.strings[profile.functions[row].name]);
}

TEST(ComputeProfile, ACallInlinedAlongIsAtItsOwnLineUnlessALibraryHasIt) {
  for (const auto& [header, line] :
       {std::make_pair("pool.h", 7u), std::make_pair("/usr/include/c++/12/bits/stl_map.h", 11u)}) {
    profile::SymbolTable symbols = Symbols("app");
    symbols.files.push_back(header);
    const auto file = static_cast<uint32_t>(symbols.files.size() - 1);
    symbols.lines = {{0x1000, 1, 10}, {0x100c, file, 7}, {0x1018, 1, 12}, {0x1020, 1, 20}};
    symbols.call_lines = {{0x100c, 1, 11}, {0x1018, 0, 0}};
    const profile::ComputedProfile profile = Compute({{&symbols, Data()}});
    EXPECT_EQ(profile.arcs[1].site_offset, 0x10u);
    EXPECT_EQ(profile.arcs[1].site_line, line) << header;
  }
}

TEST(ComputeProfile, GivesCodeAndSamplesOfEachLine) {
  profile::SymbolTable symbols = Symbols("app");
  symbols.files.push_back("/usr/include/c++/12/vector");
  const auto library = static_cast<uint32_t>(symbols.files.size() - 1);
  symbols.lines = {{0x1000, 1, 10}, {0x1008, library, 7}, {0x1010, 1, 12}, {0x1020, 1, 20}};
  symbols.call_lines = {{0x1008, 1, 11}, {0x100c, library, 50}, {0x1010, 0, 0}};
  const profile::ComputedProfile profile = Compute({{&symbols, Data()}});
  std::vector<std::string> of_main;
  double samples = 0, all = 0;
  for (const profile::LineCost& line : profile.lines) {
    if (line.function == 0) {
      of_main.push_back(profile.strings[line.file] == "/usr/include/c++/12/vector" ? "library "
                                                                                   : "");
      of_main.back() += std::to_string(line.line) + ": " + std::to_string(line.bytes);
    }
    samples += line.samples;
  }
  for (const profile::FunctionCost& function : profile.functions) all += function.self_samples;
  EXPECT_THAT(of_main, ElementsAre("10: 8", "11: 4", "12: 16", "library 7: 4"));
  EXPECT_DOUBLE_EQ(samples, all);
}

TEST(ComputeProfile, ACallOfWhatTheCompilerSplitOffIsWhereItsFunctionIsCalled) {
  profile::SymbolTable symbols = Symbols("app");
  symbols.call_lines = {{0x1028, 1, 22}, {0x1038, 0, 0}};
  const profile::ComputedProfile profile = Compute({{&symbols, Data()}});
  ASSERT_EQ(Name(profile, profile.arcs[2].callee), "work.part.0");
  EXPECT_EQ(profile.arcs[2].site_line, 22u) << "not 20, a line of the part that was inlined";
}

TEST(ComputeProfile, GivesFunctionsClonesAndCallSites) {
  const profile::SymbolTable symbols = Symbols("app");
  ComputeOptions options;
  options.repetitions = 3;
  options.profiles = 6;
  const profile::ComputedProfile computed = Compute({{&symbols, Data()}}, options);
  const profile::ComputedProfile* profile = &computed;
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
  EXPECT_EQ(profile->arcs[0].site_line, 10u);  // of the call, not of the code after it
  EXPECT_EQ(profile->arcs[0].count, 3u);
  EXPECT_DOUBLE_EQ(profile->arcs[0].self_samples, 7.5);
  EXPECT_EQ(profile->arcs[1].site_line, 11u);
  EXPECT_DOUBLE_EQ(profile->arcs[1].self_samples, 2.5);
  EXPECT_EQ(profile->arcs[3].caller, profile->functions.size());  // spontaneous
  EXPECT_EQ(profile->arcs[3].callee, 0u);
}

TEST(ComputeProfile, WarnsOfWhatLiesInNoFunction) {
  const profile::SymbolTable symbols = Symbols("app");
  const profile::ComputedProfile computed = Compute({{&symbols, Data()}});
  const profile::ComputedProfile* profile = &computed;
  EXPECT_DOUBLE_EQ(profile->total_samples, 13);
  EXPECT_DOUBLE_EQ(profile->unattributed_samples, 1);
  ASSERT_EQ(profile->warnings.size(), 1u) << "a single sample is not worth a note";
  EXPECT_NE(profile->warnings[0].find("5 calls"), std::string::npos);
  profile::RawProfile raw = Data();
  for (profile::Histogram& histogram : raw.histograms) {
    for (uint64_t& bin : histogram.bins) bin *= 2;
  }
  const profile::ComputedProfile twice = Compute({{&symbols, raw}});
  ASSERT_EQ(twice.warnings.size(), 2u);
  EXPECT_NE(twice.warnings[0].find("2 of 26 samples"), std::string::npos);
}

TEST(ComputeProfile, DoesNotDependOnTheOrderOfInput) {
  const profile::SymbolTable app = Symbols("app");
  const profile::SymbolTable tool = Symbols("tool");
  profile::RawProfile reversed = Data();
  std::reverse(reversed.arcs.begin(), reversed.arcs.end());
  const profile::ComputedProfile first = Compute({{&app, Data()}, {&tool, Data()}});
  const profile::ComputedProfile second = Compute({{&tool, reversed}, {&app, reversed}});
  const profile::ComputedProfile* one = &first;
  const profile::ComputedProfile* two = &second;
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

double Seconds(const profile::ComputedProfile& profile, const std::string& function) {
  for (const profile::FunctionCost& cost : profile.functions) {
    if (profile.strings[cost.name] == function) return cost.self_samples / profile.sample_rate;
  }
  return -1;
}

TEST(ComputeProfile, AddsTimesSampledAtDifferentRates) {
  const profile::SymbolTable app = Symbols("app");
  const profile::SymbolTable tool = Symbols("tool");
  profile::RawProfile faster = Data();
  faster.histograms[0].rate = 1000;
  const profile::ComputedProfile profile =
      Compute({{&app, Data()}, {&app, faster}, {&tool, faster}});
  EXPECT_NEAR(Seconds(profile, "work"), 10 / 100.0 + 10 / 1000.0, 1e-12);
  EXPECT_NEAR(profile.total_samples / profile.sample_rate, 13 / 100.0 + 26 / 1000.0, 1e-12);
  // The effective number of samples, lower than the actual one.
  const double variance = 13 / 100.0 / 100.0 + 26 / 1000.0 / 1000.0;
  EXPECT_NEAR(profile.total_samples, (13 / 100.0 + 0.026) * (13 / 100.0 + 0.026) / variance, 1e-9);
  EXPECT_TRUE(profile.strings.size() > 1);
}

TEST(ComputeProfile, LeavesOutWhatCountsAnotherDimension) {
  const profile::SymbolTable app = Symbols("app");
  profile::RawProfile instructions = Data();
  instructions.histograms[0].dimension = "Minstructions";
  const profile::ComputedProfile profile =
      Compute({{&app, Data()}, {&app, Data()}, {&app, instructions}});
  EXPECT_EQ(profile.dimension, "seconds");
  EXPECT_DOUBLE_EQ(profile.total_samples, 26);
  EXPECT_EQ(profile.functions[1].calls, 12u);  // calls are calls
  EXPECT_NE(profile.warnings[1].find("13 samples that do not count seconds"), std::string::npos)
      << profile.warnings[1];
}

// A program and a library without any further data.
profile::Recording TwoModules() {
  profile::Recording recording;
  recording.dimension = "seconds";
  recording.rate = 100;
  recording.samples = recording.periods = 20;
  recording.overhead_samples = 5;
  recording.modules.resize(2);
  recording.modules[0].path = "/bin/app";
  recording.modules[0].build_id = "id-app";
  recording.modules[0].profile = Data();
  recording.modules[0].profile.arcs = {{0x1008, 0x1020, 4}, {0, 0x1040, 6}};
  recording.modules[1].path = "/lib/libz.so";
  recording.modules[1].build_id = "id-libz";
  recording.modules[1].profile.histograms = {Data().histograms[0]};
  recording.cross_arcs = {{1, 0x555, 0, 0x1040, 5}};
  return recording;
}

profile::ComputedProfile ComputeRecording(const profile::Recording& recording,
                                          const profile::SymbolTable& app) {
  TargetSum sum;
  const auto symbols_of = [&](absl::string_view build_id) -> const profile::SymbolTable* {
    return build_id == "id-app" ? &app : nullptr;
  };
  EXPECT_TRUE(sum.AddRecording(recording, symbols_of).ok());
  return ComputeProfile(sum.Take(), {});
}

TEST(ComputeProfile, AccountsForModulesWithoutSymbolsAndForOverhead) {
  const profile::SymbolTable app = Symbols("app");
  const profile::ComputedProfile profile = ComputeRecording(TwoModules(), app);
  EXPECT_DOUBLE_EQ(profile.total_samples, 26);
  EXPECT_DOUBLE_EQ(profile.overhead_samples, 5);
  EXPECT_DOUBLE_EQ(Seconds(profile, "[libz.so]"), 0.13);
  EXPECT_TRUE(profile.functions.back().is_module);
  EXPECT_EQ(profile.strings[profile.functions.back().image], "libz.so");
}

TEST(ComputeProfile, HasTheEnvironmentsOfAllProcesses) {
  TargetSum sum;
  const auto no_symbols = [](absl::string_view) -> const profile::SymbolTable* { return nullptr; };
  for (const uint32_t processors : {2, 0, 1, 2}) {
    profile::Recording recording = TwoModules();
    if (processors > 0) recording.environment.architecture = "x86_64";
    recording.environment.processors = processors;
    ASSERT_TRUE(sum.AddRecording(recording, no_symbols).ok());
  }
  std::vector<uint32_t> processors;
  for (const profile::Environment& environment : ComputeProfile(sum.Take(), {}).environments) {
    processors.push_back(environment.processors);
  }
  EXPECT_THAT(processors, ElementsAre(1, 2));
}

TEST(ComputeProfile, KeepsBothSidesOfCallsBetweenModules) {
  const profile::SymbolTable app = Symbols("app");
  const profile::ComputedProfile profile = ComputeRecording(TwoModules(), app);
  uint64_t from_library = 0;
  uint64_t spontaneous = 0;
  for (const profile::ArcCost& arc : profile.arcs) {
    if (Name(profile, arc.callee) != "work.part.0") continue;
    if (arc.caller == profile.functions.size()) {
      spontaneous += arc.count;
    } else if (Name(profile, arc.caller) == "[libz.so]") {
      from_library += arc.count;
    }
  }
  EXPECT_EQ(from_library, 5u);
  EXPECT_EQ(spontaneous, 1u);
}

TEST(ComputeProfile, MeasuresInheritedTimeWhereThereAreStacks) {
  const profile::SymbolTable app = Symbols("app");
  profile::Recording recording = TwoModules();
  // main called work from two sites, equally often; 9 of 10 samples are the first's.
  recording.modules[0].profile.arcs = {{0x1008, 0x1020, 1}, {0x1010, 0x1020, 1}};
  recording.cross_arcs.clear();
  const auto add = [&](uint32_t module, uint64_t pc, int64_t parent, uint64_t samples) {
    recording.stacks.push_back({module, {pc, parent, samples}});
  };
  add(0, 0x1008, -1, 0);
  add(0, 0x1010, -1, 0);
  add(0, 0x1022, 0, 9);
  add(0, 0x1022, 1, 1);
  add(1, 0x1004, 0, 2);  // in the library, called by work, which has no frame
  const profile::ComputedProfile profile = ComputeRecording(recording, app);
  EXPECT_DOUBLE_EQ(profile.stack_samples, 12);
  EXPECT_DOUBLE_EQ(profile.complete_stack_samples, 12);
  ASSERT_EQ(Name(profile, 0), "main");
  ASSERT_EQ(Name(profile, 1), "work");
  EXPECT_DOUBLE_EQ(profile.functions[0].child_samples, 12);
  EXPECT_DOUBLE_EQ(profile.functions[1].child_samples, 2);
  ASSERT_GE(profile.arcs.size(), 3u);
  EXPECT_DOUBLE_EQ(profile.arcs[0].self_samples, 9);
  EXPECT_DOUBLE_EQ(profile.arcs[0].child_samples, 2);
  EXPECT_DOUBLE_EQ(profile.arcs[1].self_samples, 1);
  EXPECT_EQ(profile.arcs[2].caller, 1u);  // work to the library: seen, not counted
  EXPECT_EQ(profile.arcs[2].count, 0u);
  EXPECT_DOUBLE_EQ(profile.arcs[2].self_samples, 2);
}

TEST(ComputeProfile, CountsLateSignalsAsTheSamplesTheyWere) {
  const profile::SymbolTable app = Symbols("app");
  profile::Recording recording = TwoModules();
  recording.overhead_samples = 0;
  recording.samples = 10;  // each stood for two periods
  const profile::ComputedProfile profile = ComputeRecording(recording, app);
  EXPECT_DOUBLE_EQ(profile.total_samples, 13);
  EXPECT_DOUBLE_EQ(profile.sample_rate, 50);
}

// A function that ran in the end had heavy samples only.
TEST(ComputeProfile, CountsSamplesOfSeveralWeightsAsIfAllWereTheHeaviest) {
  const profile::SymbolTable app = Symbols("app");
  profile::Recording recording = TwoModules();
  recording.overhead_samples = 0;
  recording.samples = 10;
  recording.most_periods = 4;
  const profile::ComputedProfile profile = ComputeRecording(recording, app);
  EXPECT_DOUBLE_EQ(profile.total_samples, 6.5);
  EXPECT_DOUBLE_EQ(profile.sample_rate, 25);
}

}  // namespace

}  // namespace gprofhub::analyzer
