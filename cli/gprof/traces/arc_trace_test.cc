#include "cli/gprof/traces/arc_trace.h"

#include <gtest/gtest.h>

#include "analyzer/testing/functions.h"
#include "cli/gprof/options/debug_levels.h"

namespace gprofhub::cli {
namespace {

TEST(ArcTrace, LooksAtTheLatestArcsFirst) {
  const profile::SymbolTable symbols =
      analyzer::FunctionsAt({{0x1000, "a"}, {0x1010, "b"}, {0x1020, "c"}}, 0x1030);
  const analyzer::ListingRows rows(symbols, {});
  ArcTrace trace(rows, kTraceArcs | kTraceLookups);
  std::string out;
  trace.Add(0, 1, 5, out);
  trace.Add(0, 2, 6, out);
  out.clear();
  trace.Add(0, 1, 7, out);
  EXPECT_EQ(out,
            "[arc_add] 7 arcs from a to b\n"
            "[arc_lookup] parent a child b\n"
            "[arc_lookup]\t parent a child c\n"
            "[arc_lookup]\t parent a child b\n"
            "[tally] hit 5 += 7\n");
  EXPECT_EQ(*trace.Find(0, 1, out), 12u);
}

TEST(ArcTrace, CountsWithoutAWordAtOtherLevels) {
  const profile::SymbolTable symbols =
      analyzer::FunctionsAt({{0x1000, "a"}, {0x1010, "b"}}, 0x1020);
  const analyzer::ListingRows rows(symbols, {});
  ArcTrace trace(rows, kTraceSamples);
  std::string out;
  trace.Add(0, 1, 5, out);
  EXPECT_EQ(*trace.Find(0, 1, out), 5u);
  EXPECT_EQ(out, "");
}

TEST(NamedArcs, ContainsTheCallsBetweenRuns) {
  const profile::SymbolTable symbols =
      analyzer::FunctionsAt({{0x1000, "a"}, {0x1010, "b"}, {0x1020, "c"}, {0x1030, "d"}}, 0x1040);
  const analyzer::ListingRows rows(symbols, {});
  NamedArcs arcs(rows, kTraceArcs);
  arcs.AddCallers({0, 1, 1, 1});
  EXPECT_EQ(arcs.AddCallees({2, 3, 3, 3}), "[arc_add] 0 arcs from a to c\n");
  std::string out;
  EXPECT_TRUE(arcs.Contains(1, 3, out));
  EXPECT_FALSE(arcs.Contains(2, 3, out));
  EXPECT_FALSE(arcs.Contains(0, 1, out));
}

}  // namespace
}  // namespace gprofhub::cli
