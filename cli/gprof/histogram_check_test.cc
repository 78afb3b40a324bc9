#include "cli/gprof/histogram_check.h"

#include "gtest/gtest.h"

namespace gprofhub::cli {
namespace {

HistogramHeads One(const std::string& path, uint64_t low, uint64_t bins, uint32_t rate = 100) {
  return {{path, low, low + 2 * bins, bins, rate, "seconds", 's'}};
}

std::string Refusal(const std::vector<std::optional<HistogramHeads>>& profiles, size_t checked) {
  size_t found = 0;
  const absl::Status status = CheckHistograms(profiles, "gprof", found);
  EXPECT_EQ(found, checked);
  return std::string(status.message());
}

TEST(HistogramCheckTest, AcceptsEqualAndSeparateRanges) {
  EXPECT_EQ(Refusal({One("a", 0, 8), One("b", 0, 8), One("c", 16, 8), HistogramHeads()}, 4), "");
}

TEST(HistogramCheckTest, NamesProfilesOfDifferentRates) {
  EXPECT_EQ(Refusal({One("a", 0, 8), One("b", 16, 8, 50)}, 1),
            "gprof: b: its histogram counts 50 per \"seconds\", that of a 100: such samples do not "
            "add up; list the two profiles separately");
}

TEST(HistogramCheckTest, AcceptsAnyRateBeforeOneThatIsAssumed) {
  HistogramHeads assumed = One("b", 0, 8, 100);
  assumed[0].rate_is_assumed = true;
  EXPECT_EQ(Refusal({One("a", 0, 8, 50), assumed, One("c", 0, 8, 50)}, 3), "");
  EXPECT_NE(Refusal({assumed, One("a", 0, 8, 50)}, 1), "");
}

TEST(HistogramCheckTest, ReportsTheDimensionBeforeTheRate) {
  HistogramHeads other = One("b", 0, 8, 50);
  other[0].dimension = "misses";
  EXPECT_EQ(Refusal({One("a", 0, 8), other}, 1),
            "gprof: dimension unit changed between histogram records\ngprof: from 'seconds'\n"
            "gprof: to 'misses'");
  other[0].dimension = "seconds";
  other[0].abbreviation = 'm';
  EXPECT_EQ(Refusal({One("a", 0, 8), other}, 1),
            "gprof: dimension abbreviation changed between histogram records\ngprof: from 's'\n"
            "gprof: to 'm'");
}

TEST(HistogramCheckTest, ReportsScalesBeforeOverlaps) {
  HistogramHeads wide = One("b", 0, 8);
  wide[0].bins = 4;
  EXPECT_EQ(Refusal({One("a", 0, 8), wide}, 1), "gprof: different scales in histogram records");
  EXPECT_EQ(Refusal({One("a", 0, 8), One("b", 14, 8)}, 1), "gprof: overlapping histogram records");
}

TEST(HistogramCheckTest, ComparesTheHistogramsOfOneProfile) {
  HistogramHeads two = One("a", 0, 8);
  two.push_back(One("a", 4, 8)[0]);
  EXPECT_EQ(Refusal({two}, 0), "gprof: overlapping histogram records");
}

TEST(HistogramCheckTest, ComparesBsdProfilesWithTheFirst) {
  HistogramHeads bsd = One("b", 16, 8, 50);
  bsd[0].is_bsd = true;
  EXPECT_EQ(Refusal({One("a", 0, 8), bsd}, 1),
            "b: profiling rate incompatible with first gmon file");
  bsd[0].rate = 100;
  EXPECT_EQ(Refusal({One("a", 0, 8), bsd}, 1), "b: incompatible with first gmon file");
}

TEST(HistogramCheckTest, StopsAtTheFirstProfileThatCouldNotBeRead) {
  EXPECT_EQ(Refusal({One("a", 0, 8), std::nullopt, One("b", 14, 8)}, 1), "");
}

}  // namespace
}  // namespace gprofhub::cli
