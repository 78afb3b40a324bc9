#include "cli/gprof/traces/graph_trace.h"

#include <gtest/gtest.h>

#include "analyzer/listing/prepare.h"
#include "cli/gprof/options/debug_levels.h"

namespace gprofhub::cli {
namespace {

// a calls b; b and c call each other; c calls itself.
class GraphTraceTest : public ::testing::Test {
 protected:
  GraphTraceTest() {
    for (const char* name : {"a", "b", "c"}) {
      profile::FunctionSymbol function;
      function.address = 0x1000 + 0x10 * symbols_.functions.size();
      function.name = name;
      function.is_function = true;
      symbols_.functions.push_back(std::move(function));
    }
    symbols_.text_high = 0x1030;
    profile::RawProfile profile;
    profile.arcs = {
        {0x1001, 0x1010, 1}, {0x1011, 0x1020, 2}, {0x1021, 0x1010, 3}, {0x1022, 0x1020, 4}};
    input_ = analyzer::PrepareListing(symbols_, profile, {});
  }

  profile::SymbolTable symbols_;
  analyzer::ListingInput input_;
};

TEST_F(GraphTraceTest, SaysNothingAtOtherLevels) {
  EXPECT_EQ(TraceGraph(input_, {}, kTraceSamples), "");
  EXPECT_TRUE(TracedNameEnds(input_, kTraceSamples).empty());
}

TEST_F(GraphTraceTest, NamesTheHeadOfACycle) {
  EXPECT_EQ(TraceGraph(input_, {}, kTraceCycles), "[cycle_link] b is the head of cycle 1\n");
}

TEST_F(GraphTraceTest, FollowsTheSearch) {
  EXPECT_EQ(TraceGraph(input_, {}, kTraceSearch),
            "[dfn] dfn( a{0} )\n"
            "[pre_visit]\t\t1:a{-1} \n"
            "[dfn] dfn( b{0} )\n"
            "[pre_visit]\t\t2:b{-1} \n"
            "[dfn] dfn( c{0} )\n"
            "[pre_visit]\t\t3:c{-1} \n"
            "[dfn] dfn( c{-1} )\n"
            "[find_cycle] dfn_depth 3 cycle_top 3 c{-1} \n"
            "[find_cycle] c{-1} \n"
            "[dfn] dfn( b{-1} )\n"
            "[find_cycle] dfn_depth 3 cycle_top 2 b{-1} \n"
            "[find_cycle] glomming c{-1}  onto b{-1} \n"
            "[post_visit]\t3: c{-1} \n"
            "[post_visit]\t\tis part of a cycle\n"
            "[post_visit]\t2: b{-1} \n"
            "[post_visit]\t\tmember b{1} -> cg.top_order = 1\n"
            "[post_visit]\t\tmember c{1} -> cg.top_order = 1\n"
            "[post_visit]\t1: a{-1} \n"
            "[post_visit]\t\tmember a{2} -> cg.top_order = 2\n"
            "[cg_assemble] topological sort listing\n"
            "[cg_assemble] 1:b{1}  <cycle 1>\n"
            "[cg_assemble] 1:c{1}  <cycle 1>\n"
            "[cg_assemble] 2:a{2} \n");
}

TEST_F(GraphTraceTest, EndsNamesWithWhatTheLevelsAreAbout) {
  EXPECT_EQ(TracedNameEnds(input_, kTraceSearch | kTraceTimes),
            (std::vector<std::string>{"{2}  100% ", "{1}  100% ", "{1}  100% "}));
}

}  // namespace
}  // namespace gprofhub::cli
