#include "cli/bisect/search/search.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gprofhub::cli {
namespace {

// A line of `size` commits, of which only the ends are tested.
std::vector<Tested> Line(size_t size) {
  std::vector<Tested> line(size, Tested::kNot);
  line.front() = Tested::kOld;
  line.back() = Tested::kNew;
  return line;
}

TEST(NextToTest, IsNothingWhereTheEndsAreNeighbours) {
  EXPECT_EQ(NextToTest(Line(2)), std::nullopt);
  EXPECT_TRUE(Narrow(Line(2)).IsOne());
}

TEST(NextToTest, FindsEachChangeInAsManyStepsAsTheLogarithm) {
  for (size_t size = 3; size < 70; ++size) {
    for (size_t change = 1; change < size; ++change) {
      std::vector<Tested> line = Line(size);
      size_t steps = 0;
      while (const std::optional<size_t> next = NextToTest(line)) {
        line[*next] = *next < change ? Tested::kOld : Tested::kNew;
        ++steps;
      }
      ASSERT_EQ(Narrow(line).first_new, change) << size;
      ASSERT_TRUE(Narrow(line).IsOne());
      EXPECT_LE(steps, std::ceil(std::log2(size - 1))) << size;
    }
  }
}

TEST(NextToTest, KeepsAwayFromSkippedCommits) {
  std::vector<Tested> line = Line(17);
  EXPECT_EQ(NextToTest(line), 8u);
  for (const size_t skipped : {7, 8, 9}) line[skipped] = Tested::kSkipped;
  // 1 to 6 and 10 to 15 are left.
  EXPECT_EQ(NextToTest(line), 4u);
}

TEST(NextToTest, LeavesARangeWhereOnlySkippedCommitsAreLeft) {
  std::vector<Tested> line = Line(6);
  line[1] = Tested::kOld;
  line[2] = line[3] = Tested::kSkipped;
  line[4] = Tested::kNew;
  EXPECT_EQ(NextToTest(line), std::nullopt);
  const Narrowed range = Narrow(line);
  EXPECT_EQ(range.last_old, 1u);
  EXPECT_EQ(range.first_new, 4u);
  EXPECT_FALSE(range.IsOne());
}

}  // namespace
}  // namespace gprofhub::cli
