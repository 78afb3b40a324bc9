#include <gtest/gtest.h>

#include "analyzer/ordering/c3.h"
#include "analyzer/ordering/symbol_file.h"

namespace gprofhub {
namespace {

using Rows = std::vector<uint32_t>;

void AddFunction(ComputedProfile& profile, const std::string& name, uint64_t size, uint64_t calls) {
  FunctionCost function;
  function.name = static_cast<uint32_t>(profile.strings.size());
  function.size = size;
  function.calls = calls;
  profile.strings.push_back(name);
  profile.functions.push_back(function);
}

void AddArc(ComputedProfile& profile, uint32_t caller, uint32_t callee, uint64_t count,
            uint64_t site = 0) {
  ArcCost arc;
  arc.caller = caller;
  arc.callee = callee;
  arc.site_offset = site;
  arc.count = count;
  profile.arcs.push_back(arc);
}

TEST(OrderC3, PutsACalleeBehindItsMostFrequentCaller) {
  ComputedProfile profile;
  AddFunction(profile, "rare", 100, 1);
  AddFunction(profile, "leaf", 100, 60);
  AddFunction(profile, "often", 100, 50);
  AddArc(profile, 0, 1, 10);
  AddArc(profile, 2, 1, 50);
  EXPECT_EQ(OrderC3(profile), (Rows{2, 1, 0}));
}

TEST(OrderC3, AddsUpTheCallSitesOfOneCaller) {
  ComputedProfile profile;
  AddFunction(profile, "one_site", 100, 1);
  AddFunction(profile, "leaf", 100, 100);
  AddFunction(profile, "two_sites", 100, 1);
  AddArc(profile, 0, 1, 40);
  AddArc(profile, 2, 1, 30, 8);
  AddArc(profile, 2, 1, 30, 16);
  EXPECT_EQ(OrderC3(profile), (Rows{2, 1, 0}));
}

TEST(OrderC3, DoesNotGrowAClusterBeyondAPage) {
  ComputedProfile profile;
  AddFunction(profile, "caller", 4000, 1);
  AddFunction(profile, "callee", 200, 1000);
  AddArc(profile, 0, 1, 1000);
  EXPECT_EQ(OrderC3(profile), (Rows{1, 0}));  // two clusters, the denser first
}

TEST(OrderC3, IgnoresRecursionAndSpontaneousCalls) {
  ComputedProfile profile;
  AddFunction(profile, "a", 10, 5);
  AddFunction(profile, "b", 10, 7);
  AddArc(profile, 0, 0, 100);
  AddArc(profile, 2, 1, 7);
  EXPECT_EQ(OrderC3(profile), (Rows{1, 0}));
}

TEST(OrderC3, OrdersEveryFunctionOfALargeProfileOnce) {
  ComputedProfile profile;
  constexpr uint32_t kFunctions = 50000;
  for (uint32_t i = 0; i < kFunctions; ++i) {
    AddFunction(profile, "f" + std::to_string(i), 64 + i % 512, i * 7919 % 1000);
  }
  for (uint32_t i = 0; i < 10 * kFunctions; ++i) {
    AddArc(profile, i % kFunctions, static_cast<uint32_t>(uint64_t{i} * 48271 % kFunctions),
           i % 97);
  }
  Rows order = OrderC3(profile);
  std::sort(order.begin(), order.end());
  ASSERT_EQ(order.size(), kFunctions);
  for (uint32_t i = 0; i < kFunctions; ++i) ASSERT_EQ(order[i], i);
}

TEST(FormatSymbolFile, ListsEachNameOnceBelowAComment) {
  ComputedProfile profile;
  AddFunction(profile, "_Z3foov", 1, 1);
  AddFunction(profile, "bar.part.0", 1, 1);
  AddFunction(profile, "_Z3foov", 1, 1);
  const std::string text = FormatSymbolFile(profile, Rows{1, 0, 2});
  EXPECT_EQ(text.substr(0, 11), "# gprofhub ");
  EXPECT_EQ(text.substr(text.find('\n')), "\nbar.part.0\n_Z3foov\n");
}

TEST(FormatSymbolFile, LeavesOutNamesThatWouldBreakTheFileOrCannotBeMoved) {
  ComputedProfile profile;
  AddFunction(profile, "evil\nmain", 1, 1);
  AddFunction(profile, "#comment", 1, 1);
  AddFunction(profile, "_init", 1, 1);
  const std::string text = FormatSymbolFile(profile, Rows{0, 1, 2});
  EXPECT_EQ(text.find('\n'), text.size() - 1);
}

}  // namespace
}  // namespace gprofhub
