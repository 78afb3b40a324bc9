#include "profile/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "profile/testing/sample_profile.h"

namespace gprofhub::profile {

namespace {

struct Range {
  uint64_t high_pc;
};

TEST(Overlap, NeedsASharedAddress) {
  EXPECT_TRUE(Overlap(10, 20, 19, 30));
  EXPECT_TRUE(Overlap(19, 30, 10, 20));
  EXPECT_TRUE(Overlap(10, 20, 12, 15));
  EXPECT_FALSE(Overlap(10, 20, 20, 30));
  EXPECT_FALSE(Overlap(20, 30, 10, 20));
}

TEST(FindOverlapping, FindsTheFirstThatSharesAnAddress) {
  const std::map<uint64_t, Range> ranges = {{10, {20}}, {20, {30}}, {50, {60}}};
  const auto found = [&](uint64_t low, uint64_t high) -> uint64_t {
    const auto range = FindOverlapping(ranges, low, high);
    return range == ranges.end() ? 0 : range->first;
  };
  EXPECT_EQ(found(10, 20), 10u);
  EXPECT_EQ(found(15, 25), 10u);
  EXPECT_EQ(found(5, 11), 10u);
  EXPECT_EQ(found(5, 100), 10u);
  EXPECT_EQ(found(29, 51), 20u);
  EXPECT_EQ(found(59, 60), 50u);
  EXPECT_EQ(found(30, 50), 0u);
  EXPECT_EQ(found(0, 10), 0u);
  EXPECT_EQ(found(60, 70), 0u);
}

using ::testing::HasSubstr;

TEST(ProfileMerge, SumIsTheSameInAnyOrder) {
  RawProfile a = SmallProfile();
  RawProfile b = SmallProfile();
  b.histograms[0].bins = {1, 1, 1, 1};
  b.histograms.push_back({0x5000, 0x5004, 100, "seconds", 's', {2}});
  RawProfile ab = a;
  RawProfile ba = b;
  ASSERT_TRUE(MergeInto(ab, b).ok());
  ASSERT_TRUE(MergeInto(ba, a).ok());
  ExpectEqualProfiles(ab, ba);
  EXPECT_EQ(ab.histograms[0].bins, (std::vector<uint64_t>{1, 4, 65536, 8}));
  EXPECT_EQ(ab.histograms.size(), 2u);
  EXPECT_EQ(ab.arcs[1].count, 2 * uint64_t{4294967295u});
  EXPECT_EQ(ab.blocks[0].count, 24u);
}

TEST(ProfileMerge, OtherObjectsAreTheSameByName) {
  RawProfile sum;
  sum.others = {{"libc.so.6", 3}, {"libm.so.6", 4}};
  sum.stacks = {{0, -1, 10, 2}};
  RawProfile part;
  part.others = {{"libm.so.6", 5}, {"unknown", 6}};
  part.stacks = {{0x1000, -1, 0}, {0, 0, 20, 1}, {0, 0, 30, 2}};
  ASSERT_TRUE(MergeInto(sum, part).ok());
  ASSERT_EQ(sum.others.size(), 3u);
  EXPECT_EQ(sum.others[2].name, "unknown");
  EXPECT_EQ(SamplesInOthers(sum), (std::vector<uint64_t>{3, 4 + 5 + 10 + 20, 6 + 30}));
  EXPECT_EQ(sum.stacks[2].parent, 1);
}

TEST(ProfileMerge, OverlapLeavesTheSumUnchanged) {
  for (const Histogram& other : {Histogram{0x1000, 0x1040, 100, "seconds", 's', {1, 2}},
                                 Histogram{0x0ff0, 0x1001, 100, "seconds", 's', {1, 2}},
                                 Histogram{0x103f, 0x1050, 100, "seconds", 's', {1, 2}},
                                 Histogram{0x1010, 0x1020, 100, "seconds", 's', {1, 2}}}) {
    RawProfile sum = SmallProfile();
    RawProfile part;
    part.histograms.push_back(other);
    EXPECT_THAT(MergeInto(sum, part).message(), HasSubstr("overlaps"));
    ExpectEqualProfiles(sum, SmallProfile());
  }
}

TEST(ProfileMerge, OtherRateIsRefused) {
  RawProfile sum = SmallProfile();
  RawProfile part = SmallProfile();
  part.histograms[0].rate = 250;
  EXPECT_THAT(MergeInto(sum, part).message(), HasSubstr("differs in rate"));
}

TEST(ProfileMerge, AnAssumedRateGivesWay) {
  RawProfile stated = SmallProfile();
  stated.histograms[0].rate = 250;
  RawProfile assumed = SmallProfile();
  assumed.histograms[0].rate_is_assumed = true;
  RawProfile first = stated;
  ASSERT_TRUE(MergeInto(first, assumed).ok());
  RawProfile last = assumed;
  ASSERT_TRUE(MergeInto(last, stated).ok());
  for (const RawProfile& sum : {first, last}) {
    ASSERT_EQ(sum.histograms.size(), 1u);
    EXPECT_EQ(sum.histograms[0].rate, 250u);
    EXPECT_FALSE(sum.histograms[0].rate_is_assumed);
  }
  ASSERT_TRUE(MergeInto(assumed, assumed).ok());
  EXPECT_EQ(assumed.histograms[0].rate, 100u);
  EXPECT_TRUE(assumed.histograms[0].rate_is_assumed);
}

TEST(ProfileMerge, OverflowIsAnError) {
  RawProfile sum = SmallProfile();
  RawProfile part = SmallProfile();
  sum.arcs[0].count = UINT64_MAX;
  EXPECT_EQ(MergeInto(sum, part).code(), absl::StatusCode::kOutOfRange);
}

}  // namespace

}  // namespace gprofhub::profile
