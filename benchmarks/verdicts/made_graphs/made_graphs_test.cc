// A few of the cases of made_graphs: the thresholds are below the measured values, so that only an
// error in the rules falls below them.
#include <gtest/gtest.h>

#include <optional>

#include "benchmarks/verdicts/made_graphs/judge_case.h"
#include "benchmarks/verdicts/made_graphs/make_program.h"
#include "benchmarks/verdicts/made_graphs/plant.h"

namespace gprofhub::benchmarks {
namespace {

TEST(MadeGraphs, TheCauseIsFirstAndTheRestIsFolded) {
  size_t cases = 0, first = 0, line = 0, followers = 0, folded = 0;
  for (const Family family : kFamilies) {
    for (const Plant plant : kPlants) {
      for (uint64_t seed = 1000; seed < 1002; ++seed) {
        const std::optional<MadeCase> made = CompareCase({seed, family, plant, false});
        if (!made.has_value()) continue;
        const Judged judged = Judge(*made);
        ++cases;
        first += judged.first;
        line += judged.line;
        followers += judged.followers;
        folded += judged.folded;
      }
    }
  }
  ASSERT_GT(cases, 25u);
  EXPECT_GE(first * 100, cases * 90) << first << " of " << cases;
  EXPECT_GE(line * 100, cases * 88) << line << " of " << cases;
  EXPECT_GE(folded * 100, followers * 95) << folded << " of " << followers;
}

TEST(MadeGraphs, ACaseIsTheSameEachTime) {
  const Case made = {4, Family::kKept, Plant::kLongerLoop, false};
  const std::optional<MadeCase> once = CompareCase(made), again = CompareCase(made);
  ASSERT_TRUE(once.has_value());
  EXPECT_EQ(once->report.SerializeAsString(), again->report.SerializeAsString());
}

}  // namespace
}  // namespace gprofhub::benchmarks
