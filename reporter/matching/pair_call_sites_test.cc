#include "reporter/matching/pair_call_sites.h"

#include <gmock/gmock.h>

#include <tuple>
#include <utility>
#include <vector>

namespace gprofhub::reporter {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

using Lines = std::vector<std::pair<uint32_t, uint32_t>>;  // before, after; 0: not there

// Sites of one file: (line, count).
std::vector<CallSite> Sites(const std::vector<std::pair<uint32_t, uint64_t>>& sites) {
  std::vector<CallSite> made;
  for (const auto& [line, count] : sites) made.push_back({"f.cc", line, 16 * made.size(), count});
  return made;
}

Lines Paired(const std::vector<CallSite>& before, const std::vector<CallSite>& after,
             int64_t caller_shift = 0) {
  Lines lines;
  for (const CallSitePair& pair : PairCallSites(before, 1, after, 1, caller_shift)) {
    lines.emplace_back(pair.line_before, pair.line_after);
  }
  return lines;
}

TEST(PairCallSites, KeepsTheOrder) {
  EXPECT_THAT(Paired(Sites({{10, 5}, {20, 7}}), Sites({{13, 5}, {23, 9}}), 3),
              ElementsAre(Pair(10, 13), Pair(20, 23)));
}

TEST(PairCallSites, ANewSiteHasNoPartner) {
  EXPECT_THAT(Paired(Sites({{10, 5}}), Sites({{10, 5}, {12, 4}})),
              ElementsAre(Pair(10, 10), Pair(0, 12)));
  EXPECT_THAT(Paired(Sites({{10, 5}, {12, 4}}), Sites({{10, 5}})),
              ElementsAre(Pair(10, 10), Pair(12, 0)));
  EXPECT_THAT(Paired({}, Sites({{1, 1}})), ElementsAre(Pair(0, 1)));
  EXPECT_TRUE(Paired({}, {}).empty());
}

TEST(PairCallSites, OfEqualCountsTheCallersShiftDecides) {
  EXPECT_THAT(Paired(Sites({{10, 5}}), Sites({{10, 5}, {14, 5}}), 4),
              ElementsAre(Pair(0, 10), Pair(10, 14)));
  EXPECT_THAT(Paired(Sites({{10, 5}}), Sites({{10, 5}, {14, 5}}), 0),
              ElementsAre(Pair(10, 10), Pair(0, 14)));
}

TEST(PairCallSites, CountsAreComparedPerExecution) {
  const auto pairs = PairCallSites(Sites({{10, 5}}), 1, Sites({{8, 5}, {11, 10}}), 2, 0);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[1].line_before, 10u) << "twice the count in two executions is the same";
  EXPECT_EQ(pairs[1].line_after, 11u);
}

TEST(PairCallSites, VeryManySitesArePairedByLine) {
  std::vector<std::pair<uint32_t, uint64_t>> many;
  for (uint32_t line = 1; line <= 1100; ++line) many.emplace_back(line, line);
  const Lines lines = Paired(Sites(many), Sites(many));
  EXPECT_EQ(lines.size(), 1100u);
  for (const auto& [before, after] : lines) EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace gprofhub::reporter
