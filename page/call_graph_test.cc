#include "page/call_graph.h"

#include <gtest/gtest.h>

#include "reporter/testing/profile_builder.h"

namespace gprofhub::page {

namespace {

// main → parse 20, main → next 2 at two sites, parse → next 80, next → next 5; twice.
profile::ComputedProfile Sample() {
  reporter::ProfileBuilder builder;
  builder.Repetitions(2);
  builder.Function("main", 10, 190).Function("_Z5parsei", 40, 120).Function("next", 150, 0);
  builder.Arc("", "main", 2).Arc("main", "_Z5parsei", 20, 5);
  builder.Arc("main", "next", 1, 6).Arc("main", "next", 3, 7, 8).Arc("_Z5parsei", "next", 80, 12);
  builder.Arc("next", "next", 10);
  return builder.Build();
}

TEST(CallGraphTest, EntriesHaveTheirNeighboursPerExecution) {
  const profile::ComputedProfile profile = Sample();
  const GraphEntry entry = EntryOf(profile, *FindFunction(profile, "next"));
  EXPECT_EQ(entry.calls, 42);
  EXPECT_EQ(entry.self_calls, 5);
  EXPECT_DOUBLE_EQ(entry.self_time, 0.75);  // 150 samples at 100 a second, of two executions
  EXPECT_DOUBLE_EQ(entry.share, 0.75);
  ASSERT_EQ(entry.callers.size(), 2u);  // recursion is left out
  EXPECT_EQ(NameOf(profile, entry.callers[0].function), "_Z5parsei");
  EXPECT_EQ(entry.callers[0].calls, 40);
  EXPECT_EQ(entry.callers[1].calls, 2);
  EXPECT_EQ(entry.callers[1].sites, 2u);
  EXPECT_EQ(entry.callers[1].site_line, 7u);  // the site with more calls
  EXPECT_TRUE(entry.callees.empty());
}

TEST(CallGraphTest, CodeOutsideIsACaller) {
  const profile::ComputedProfile profile = Sample();
  const GraphEntry entry = EntryOf(profile, *FindFunction(profile, "main"));
  ASSERT_EQ(entry.callers.size(), 1u);
  EXPECT_EQ(NameOf(profile, entry.callers[0].function), "<spontaneous>");
  EXPECT_EQ(entry.callees.size(), 2u);
}

TEST(CallGraphTest, FunctionsAreFoundByPartsOfEitherName) {
  const profile::ComputedProfile profile = Sample();
  EXPECT_EQ(HottestFunctions(profile, "", 2).size(), 2u);
  EXPECT_EQ(HottestFunctions(profile, "PARSE(", 9).size(), 1u);
  EXPECT_EQ(HottestFunctions(profile, "_z5", 9).size(), 1u);
  EXPECT_TRUE(HottestFunctions(profile, "nothing", 9).empty());
  EXPECT_EQ(NameOf(profile, HottestFunctions(profile, "", 9).front()), "main");
  EXPECT_FALSE(FindFunction(profile, "nothing").has_value());
}

TEST(FindRowsTest, APieceThatTheCompilerMadeIsTheFunction) {
  reporter::ProfileBuilder builder;
  builder.Function("main").Function("f", 1).Function("f.part.0", 5).Function("f.isra.0.cold", 9);
  builder.Function("g.isra.0", 3).Function("g.constprop.1", 7).Function("table.3");
  builder.Arc("main", "f", 2).Arc("f", "f.part.0", 1).Arc("f.part.0", "g.isra.0", 4);
  builder.Arc("f", "g.constprop.1", 6).Arc("main", "f.part.0", 1);
  const profile::ComputedProfile profile = builder.Build();
  EXPECT_EQ(FindRows(profile, "f"), (std::vector<uint32_t>{1, 3, 2})) << "the function first";
  EXPECT_EQ(FindRows(profile, "g"), (std::vector<uint32_t>{5, 4})) << "the most expensive first";
  EXPECT_EQ(FindRows(profile, "f.part.0"), std::vector<uint32_t>{2});
  EXPECT_EQ(FindRows(profile, "table"), std::vector<uint32_t>());
  const Neighbours f = NeighboursOf(profile, FindRows(profile, "f"));
  ASSERT_EQ(f.callers.size(), 1u) << "calls of its own pieces are not calls";
  EXPECT_EQ(f.callers[0].calls, 3);
  EXPECT_EQ(f.callees.size(), 2u);
}

TEST(FindRowsTest, KnowsAliasesAndTextsOfNames) {
  reporter::ProfileBuilder builder;
  builder.Function("main").Function("f").Alias("h").Function("n\xE9");
  const profile::ComputedProfile profile = builder.Build();
  EXPECT_EQ(FindRows(profile, "h"), std::vector<uint32_t>{1});
  EXPECT_EQ(FindRows(profile, "n<0xE9>"), std::vector<uint32_t>{2});
}

TEST(CallGraphTest, ArcsWithinThePartAreDrawn) {
  const DrawnGraph graph = HottestGraph(Sample(), 2);
  ASSERT_EQ(graph.nodes.size(), 2u);  // main and parse
  ASSERT_EQ(graph.edges.size(), 1u);
  EXPECT_EQ(graph.edges[0].calls, 10);
  EXPECT_EQ(graph.nodes[1].display, "parse(int)");
}

}  // namespace

}  // namespace gprofhub::page
