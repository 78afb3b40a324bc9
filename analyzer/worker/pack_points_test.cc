#include "analyzer/worker/pack_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "profile/codec/series.h"
#include "profile/computed.h"

namespace gprofhub::analyzer {
namespace {

using ::testing::SizeIs;

// Bucket of functions f0, f1, …: the first of these.
uint32_t Bucket() { return profile::SeriesBucket(profile::FunctionHash("f0", "")); }

// The run's points of that bucket: f0 and others were called `calls` times.
store::RunPoints PointsOf(int64_t run, uint64_t calls, int functions = 40, double rate = 1000) {
  profile::ComputedProfile profile;
  profile.sample_rate = rate;
  profile.strings = {""};
  for (int i = 0; i < functions; ++i) {
    profile::FunctionCost function;
    function.name = static_cast<uint32_t>(profile.strings.size());
    function.calls = calls;
    function.self_samples = static_cast<double>(run % 7);
    profile.strings.push_back("f" + std::to_string(i));
    profile.functions.push_back(function);
  }
  return {run, profile::EncodeSeries(profile)[Bucket()]};
}

store::PackedPoints Packed(const std::vector<store::RunPoints>& points) {
  absl::StatusOr<store::PackedPoints> packed = PackPoints(points);
  EXPECT_TRUE(packed.ok()) << packed.status();
  return packed.ok() ? *std::move(packed) : store::PackedPoints();
}

void ExpectSame(const store::PackedPoints& is, const store::PackedPoints& wanted) {
  EXPECT_EQ(is.runs, wanted.runs);
  ASSERT_EQ(is.functions.size(), wanted.functions.size());
  for (size_t i = 0; i < is.functions.size(); ++i) {
    EXPECT_EQ(is.functions[i].function_hash, wanted.functions[i].function_hash);
    EXPECT_EQ(is.functions[i].payload, wanted.functions[i].payload);
  }
}

TEST(MergePoints, GivesWhatAllRunsPackedAtOnceGive) {
  std::vector<store::RunPoints> all;
  std::vector<store::PackedPoints> parts;
  for (int part = 0; part < 3; ++part) {
    std::vector<store::RunPoints> some;
    for (int run = 1; run <= 20; ++run) {
      // Functions appear and disappear, and runs differ in how they were sampled.
      some.push_back(PointsOf(100 * part + run, 50u * run, 40 + part * 200, 500.0 * (1 + run % 2)));
    }
    parts.push_back(Packed(some));
    all.insert(all.end(), some.begin(), some.end());
  }
  ASSERT_GT(parts[2].functions.size(), parts[0].functions.size());
  const auto merged = MergePoints(parts);
  ASSERT_TRUE(merged.ok()) << merged.status();
  ExpectSame(*merged, Packed(all));
}

TEST(MergePoints, TheNewestWordOfARunHolds) {
  const auto merged = MergePoints({Packed({PointsOf(1, 10), PointsOf(4, 40)}),
                                   Packed({PointsOf(2, 20), PointsOf(4, 44, 1)}),
                                   Packed({PointsOf(1, 11), PointsOf(3, 30)})});
  ASSERT_TRUE(merged.ok()) << merged.status();
  ExpectSame(*merged,
             Packed({PointsOf(1, 11), PointsOf(2, 20), PointsOf(3, 30), PointsOf(4, 44, 1)}));
}

TEST(MergePoints, KeepsRunsWithoutAPoint) {
  const auto merged = MergePoints({Packed({PointsOf(1, 10, 0)}), Packed({PointsOf(2, 10, 0)})});
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_THAT(merged->functions, SizeIs(0));
  EXPECT_EQ(merged->runs, Packed({PointsOf(1, 10, 0), PointsOf(2, 10, 0)}).runs);
}

TEST(MergePoints, DamageIsAnError) {
  store::PackedPoints points = Packed({PointsOf(1, 10), PointsOf(2, 20)});
  points.functions.front().payload.pop_back();
  EXPECT_EQ(MergePoints({points}).status().code(), absl::StatusCode::kDataLoss);
  points = Packed({PointsOf(1, 10)});
  points.runs += 'x';
  EXPECT_EQ(MergePoints({points}).status().code(), absl::StatusCode::kDataLoss);
}

TEST(PackPoints, NamesTheRunWhosePointsAreDamaged) {
  store::RunPoints damaged = PointsOf(77, 10);
  damaged.payload.pop_back();
  const absl::Status status = PackPoints({PointsOf(3, 10), damaged}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("run 77"));
}

}  // namespace
}  // namespace gprofhub::analyzer
