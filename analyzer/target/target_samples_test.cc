#include "analyzer/target/target_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace gprofhub::analyzer {
namespace {

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
              ElementsAre("a: 4 of 7 samples lie in no function of the image"));
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
              ElementsAre("2 samples that do not count seconds are left out: record all profiles "
                          "of a target in one dimension"));
}

}  // namespace
}  // namespace gprofhub::analyzer
