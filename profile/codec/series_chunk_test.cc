#include "profile/codec/series_chunk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace gprofhub::profile {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

RunSegment RunOf(int64_t id, std::vector<SeriesPoint> points, uint32_t repetitions = 1,
                 double rate = 2000) {
  return {id, {rate, repetitions, std::move(points)}};
}

// Runs of a test whose calls step once and whose samples scatter.
std::vector<RunSegment> Sample(size_t runs, uint64_t functions) {
  std::mt19937_64 random(1);
  std::vector<RunSegment> sample;
  for (size_t i = 0; i < runs; ++i) {
    RunSegment& run = sample.emplace_back(RunOf(static_cast<int64_t>(10 + 21 * i), {}));
    for (uint64_t f = 0; f < functions; ++f) {
      const auto self = static_cast<double>(100 + random() % 32);
      run.segment.points.push_back(
          {f * 1'000'003, i < runs / 2 ? 100 * f : 120 * f, self, self + 0.5});
    }
  }
  return sample;
}

void ExpectSame(const std::vector<RunSegment>& runs) {
  const auto again = DecodeSeriesChunk(EncodeSeriesChunk(runs));
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_EQ(again->size(), runs.size());
  for (size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ((*again)[i].run_id, runs[i].run_id);
    const SeriesSegment& is = (*again)[i].segment;
    const SeriesSegment& was = runs[i].segment;
    EXPECT_EQ(is.sample_rate, was.sample_rate);
    EXPECT_EQ(is.repetitions, was.repetitions);
    ASSERT_EQ(is.points.size(), was.points.size());
    for (size_t p = 0; p < is.points.size(); ++p) {
      EXPECT_EQ(is.points[p].function_hash, was.points[p].function_hash);
      EXPECT_EQ(is.points[p].calls, was.points[p].calls);
      EXPECT_EQ(is.points[p].self_samples, was.points[p].self_samples);
      EXPECT_EQ(is.points[p].total_samples, was.points[p].total_samples);
    }
  }
}

TEST(SeriesChunk, WhatWasPackedComesBack) {
  ExpectSame({});
  ExpectSame({RunOf(7, {})});
  ExpectSame(Sample(256, 13));
  // Functions come and go, runs differ in how they were measured, numbers are large.
  ExpectSame({RunOf(1, {{5, 3, 0, 0}}), RunOf(2, {}, 4, 0),
              RunOf(900, {{4, UINT64_MAX, 1.0 / 1024, 7}, {5, 0, 9e9, 1e10}}, 4'000'000'000, 997.5),
              RunOf(INT64_MAX, {{kLargestFunctionHash, 1, 0, 0}})});
}

TEST(SeriesChunk, OneFunctionIsReadWithoutTheOthers) {
  const std::string bytes = EncodeSeriesChunk({RunOf(1, {{4, 40, 0, 0}}), RunOf(2, {{5, 51, 1, 2}}),
                                               RunOf(3, {{4, 41, 0, 0}, {5, 52, 3, 4}})});
  const auto chunk = SeriesChunk::Parse(bytes);
  ASSERT_TRUE(chunk.ok()) << chunk.status();
  ASSERT_EQ(chunk->functions(), 2u);
  EXPECT_EQ(chunk->function_hash(1), 5u);
  const auto points = chunk->PointsOf(1);
  ASSERT_TRUE(points.ok()) << points.status();
  ASSERT_THAT(*points, SizeIs(2));
  EXPECT_EQ((*points)[0].run, 1u);
  EXPECT_EQ((*points)[1].run, 2u);
  EXPECT_EQ((*points)[1].point.calls, 52u);
  EXPECT_EQ((*points)[1].point.total_samples, 4);
}

TEST(SeriesChunk, ARunWithoutPointsIsStillThere) {
  const auto chunk = DecodeSeriesChunk(EncodeSeriesChunk({RunOf(3, {}), RunOf(4, {})}));
  ASSERT_TRUE(chunk.ok()) << chunk.status();
  ASSERT_THAT(*chunk, SizeIs(2));
  EXPECT_EQ((*chunk)[1].run_id, 4);
  EXPECT_THAT((*chunk)[1].segment.points, IsEmpty());
}

TEST(SeriesChunk, APointTakesAFewBytes) {
  EXPECT_LT(EncodeSeriesChunk(Sample(256, 13)).size(), 256 * 13 * 1);
}

TEST(SeriesChunk, EveryPrefixIsAnError) {
  const std::string bytes = EncodeSeriesChunk(Sample(70, 3));
  for (size_t size = 0; size < bytes.size(); ++size) {
    const absl::Status status = DecodeSeriesChunk(bytes.substr(0, size)).status();
    ASSERT_EQ(status.code(), absl::StatusCode::kDataLoss) << size;
  }
  EXPECT_THAT(std::string(DecodeSeriesChunk(bytes + "x").status().message()),
              HasSubstr("bytes follow"));
}

TEST(SeriesChunk, MoreRunsOrFunctionsThanBytesAreRefusedBeforeRoomIsMadeForThem) {
  // 4,097 runs; then no run and four billion functions.
  EXPECT_FALSE(SeriesChunk::Parse(absl::string_view("\x01\x81\x20", 3)).ok());
  EXPECT_FALSE(SeriesChunk::Parse("\x01" + std::string(4, '\0') + "\xff\xff\xff\xff\x0f").ok());
}

}  // namespace
}  // namespace gprofhub::profile
