#include "analyzer/functions/line_finder.h"

#include <gtest/gtest.h>

#include <vector>

namespace gprofhub::analyzer {
namespace {

// Rows at 100, 110, …, each of the line that it is in; the last ends the sequence.
std::vector<profile::LineRow> Rows(uint32_t count) {
  std::vector<profile::LineRow> rows;
  for (uint32_t i = 0; i < count; ++i) rows.push_back({100 + 10 * uint64_t{i}, 1, i + 1});
  rows.push_back({100 + 10 * uint64_t{count}, 0, 0});
  return rows;
}

TEST(LineFinderTest, FindsTheRowWhicheverWayTheAddressesGo) {
  const std::vector<profile::LineRow> rows = Rows(50);
  LineFinder finder(rows);
  for (const uint64_t address : {100, 109, 110, 345, 599, 101, 480, 120, 599, 100}) {
    const profile::LineRow* const row = finder.Find(address);
    ASSERT_NE(row, nullptr) << address;
    EXPECT_EQ(row->address, address / 10 * 10);
  }
}

TEST(LineFinderTest, KnowsNoLineBeforeTheTableAndBehindASequence) {
  const std::vector<profile::LineRow> rows = Rows(3);
  LineFinder finder(rows);
  EXPECT_EQ(finder.Find(130), nullptr);
  EXPECT_EQ(finder.Find(99), nullptr);
  EXPECT_EQ(finder.Find(1000), nullptr);
  EXPECT_NE(finder.Find(129), nullptr);
}

TEST(LineFinderTest, FindsNothingInAnEmptyTable) {
  const std::vector<profile::LineRow> none;
  EXPECT_EQ(LineFinder(none).Find(5), nullptr);
}

}  // namespace
}  // namespace gprofhub::analyzer
