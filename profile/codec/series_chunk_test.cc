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

// Everything packed, unpacked again.
std::vector<RunSegment> Again(const std::vector<RunSegment>& segments) {
  std::vector<RunSegment> again;
  const SeriesChunk chunk = EncodeSeriesChunk(segments);
  const auto runs = DecodeChunkRuns(chunk.runs);
  EXPECT_TRUE(runs.ok()) << runs.status();
  if (!runs.ok()) return again;
  for (const ChunkRun& run : *runs) {
    again.push_back(RunOf(run.run_id, {}, run.repetitions, run.sample_rate));
  }
  for (const FunctionColumns& function : chunk.functions) {
    const auto points = DecodeFunctionColumns(function.function_hash, function.bytes, again.size());
    EXPECT_TRUE(points.ok()) << points.status();
    if (!points.ok()) continue;
    for (const auto& [run, point] : *points) again[run].segment.points.push_back(point);
  }
  return again;
}

void ExpectSame(const std::vector<RunSegment>& runs) {
  const std::vector<RunSegment> again = Again(runs);
  ASSERT_EQ(again.size(), runs.size());
  for (size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(again[i].run_id, runs[i].run_id);
    const SeriesSegment& is = again[i].segment;
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
  ExpectSame({RunOf(3, {}), RunOf(4, {})});
  ExpectSame(Sample(256, 13));
  // Functions come and go, measurements of runs differ, numbers are large.
  ExpectSame({RunOf(1, {{5, 3, 0, 0}}), RunOf(2, {}, 4, 0),
              RunOf(900, {{4, UINT64_MAX, 1.0 / 1024, 7}, {5, 0, 9e9, 1e10}}, 4'000'000'000, 997.5),
              RunOf(INT64_MAX, {{kLargestFunctionHash, 1, 0, 0}})});
}

TEST(SeriesChunk, AFunctionHasThePointsOfRunsInWhichItAppeared) {
  const std::vector<FunctionColumns> functions =
      EncodeFunctionColumns({RunOf(1, {{4, 40, 0, 0}}), RunOf(2, {{5, 51, 1, 2}}),
                             RunOf(3, {{4, 41, 0, 0}, {5, 52, 3, 4}})});
  ASSERT_THAT(functions, SizeIs(2));
  EXPECT_EQ(functions[1].function_hash, 5u);
  const auto points = DecodeFunctionColumns(5, functions[1].bytes, 3);
  ASSERT_TRUE(points.ok()) << points.status();
  ASSERT_THAT(*points, SizeIs(2));
  EXPECT_EQ((*points)[0].run, 1u);
  EXPECT_EQ((*points)[1].run, 2u);
  EXPECT_EQ((*points)[1].point.calls, 52u);
  EXPECT_EQ((*points)[1].point.total_samples, 4);
}

TEST(SeriesChunk, APointTakesAFewBytes) {
  const SeriesChunk chunk = EncodeSeriesChunk(Sample(256, 13));
  size_t bytes = chunk.runs.size();
  for (const FunctionColumns& function : chunk.functions) {
    bytes += function.bytes.size();
  }
  EXPECT_LT(bytes, 256 * 13 * 1);
}

TEST(SeriesChunk, EveryPrefixIsAnError) {
  const SeriesChunk chunk = EncodeSeriesChunk(Sample(70, 1));
  const std::string& runs = chunk.runs;
  for (size_t size = 0; size < runs.size(); ++size) {
    const absl::Status status = DecodeChunkRuns(runs.substr(0, size)).status();
    ASSERT_EQ(status.code(), absl::StatusCode::kDataLoss) << size;
  }
  EXPECT_THAT(std::string(DecodeChunkRuns(runs + "x").status().message()),
              HasSubstr("bytes follow"));
  const std::string& columns = chunk.functions.at(0).bytes;
  for (size_t size = 0; size < columns.size(); ++size) {
    const absl::Status status = DecodeFunctionColumns(0, columns.substr(0, size), 70).status();
    ASSERT_EQ(status.code(), absl::StatusCode::kDataLoss) << size;
  }
  EXPECT_THAT(std::string(DecodeFunctionColumns(0, columns + "x", 70).status().message()),
              HasSubstr("bytes follow"));
}

TEST(SeriesChunk, MoreRunsThanAChunkHasAreRefusedBeforeRoomIsMadeForThem) {
  EXPECT_FALSE(DecodeChunkRuns(absl::string_view("\x01\x81\x20", 3)).ok());  // 4,097
}

}  // namespace
}  // namespace gprofhub::profile
