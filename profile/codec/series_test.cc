#include "profile/codec/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::profile {

namespace {

using ::testing::HasSubstr;

FunctionCost Function(ComputedProfile& profile, const std::string& name, uint64_t calls,
                      double self, double child) {
  FunctionCost function;
  function.name = static_cast<uint32_t>(profile.strings.size());
  profile.strings.push_back(name);
  function.calls = calls;
  function.self_samples = self;
  function.child_samples = child;
  return function;
}

// 1,000 functions with few samples each, as in real profiles.
ComputedProfile Sample() {
  ComputedProfile profile;
  profile.sample_rate = 100;
  profile.repetitions = 3;
  for (int i = 0; i < 1000; ++i) {
    profile.functions.push_back(Function(profile, absl::StrCat("function", i), 1 + i * i,
                                         i % 10 == 0 ? i : 0, i % 5 == 0 ? i / 4.0 : 0));
  }
  return profile;
}

std::map<uint64_t, SeriesPoint> DecodeAll(const ComputedProfile& profile) {
  std::map<uint64_t, SeriesPoint> points;
  const std::vector<std::string> segments = EncodeSeries(profile);
  EXPECT_EQ(segments.size(), kSeriesBuckets);
  for (uint32_t bucket = 0; bucket < segments.size(); ++bucket) {
    auto segment = DecodeSeries(segments[bucket]);
    EXPECT_TRUE(segment.ok()) << segment.status();
    if (!segment.ok()) continue;
    EXPECT_EQ(segment->sample_rate, profile.sample_rate);
    EXPECT_EQ(segment->repetitions, profile.repetitions);
    for (const SeriesPoint& point : segment->points) {
      EXPECT_EQ(SeriesBucket(point.function_hash), bucket);
      points[point.function_hash] = point;
    }
  }
  return points;
}

TEST(SeriesCodec, PointsComeBackAsTheyWere) {
  const ComputedProfile profile = Sample();
  const auto points = DecodeAll(profile);
  ASSERT_EQ(points.size(), profile.functions.size());
  for (const FunctionCost& function : profile.functions) {
    const SeriesPoint& point = points.at(FunctionHash(profile.strings[function.name], ""));
    EXPECT_EQ(point.calls, function.calls);
    EXPECT_EQ(point.self_samples, function.self_samples);
    EXPECT_EQ(point.total_samples, function.self_samples + function.child_samples);
  }
}

TEST(SeriesCodec, APointTakesAFewBytes) {
  size_t size = 0;
  for (const std::string& bytes : EncodeSeries(Sample())) size += bytes.size();
  EXPECT_LT(size, 1000 * 13);
}

TEST(SeriesCodec, SelfCallsCountAsCalls) {
  ComputedProfile profile;
  profile.functions.push_back(Function(profile, "f", 2, 0, 0));
  profile.functions.back().self_calls = 5;
  EXPECT_EQ(DecodeAll(profile).at(FunctionHash("f", "")).calls, 7u);
}

TEST(SeriesCodec, SamplesAreRoundedFarBelowOneSample) {
  ComputedProfile profile;
  profile.functions.push_back(Function(profile, "f", 0, 1.0 / 3, 2.0 / 3));
  const SeriesPoint point = DecodeAll(profile).at(FunctionHash("f", ""));
  EXPECT_NEAR(point.self_samples, 1.0 / 3, 1.0 / 1024);
  EXPECT_NEAR(point.total_samples, 1, 2.0 / 1024);
}

TEST(SeriesCodec, FunctionThatNeverRanHasNoPoint) {
  ComputedProfile profile;
  profile.functions.push_back(Function(profile, "f", 0, 0, 0));
  EXPECT_TRUE(DecodeAll(profile).empty());
}

TEST(SeriesCodec, StaticFunctionsOfOneNameAreToldApartByFile) {
  ComputedProfile profile;
  for (const char* file : {"a.c", "b.c"}) {
    profile.functions.push_back(Function(profile, "f", 1, 0, 0));
    profile.functions.back().is_static = true;
    profile.functions.back().file = static_cast<uint32_t>(profile.strings.size());
    profile.strings.push_back(file);
  }
  const auto points = DecodeAll(profile);
  EXPECT_EQ(points.size(), 2u);
  EXPECT_TRUE(points.contains(FunctionHash("f", "a.c")));
}

TEST(SeriesCodec, CopiesOfOneFunctionAreOnePoint) {
  ComputedProfile profile;
  profile.functions.push_back(Function(profile, "f", 1, 2, 3));
  profile.functions.push_back(Function(profile, "f", 10, 20, 30));
  const auto points = DecodeAll(profile);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points.begin()->second.calls, 11u);
  EXPECT_EQ(points.begin()->second.total_samples, 55);
}

// Stored segments depend on these values.
TEST(SeriesCodec, HashNeverChanges) {
  EXPECT_EQ(FunctionHash("", ""), 0xaf63bd4c8601u);
  EXPECT_EQ(FunctionHash("main", ""), FunctionHash("main", ""));
  EXPECT_NE(FunctionHash("main", ""), FunctionHash("main", "a.c"));
}

TEST(SeriesCodec, FunctionsSpreadOverAllBuckets) {
  for (const std::string& bytes : EncodeSeries(Sample())) {
    EXPECT_FALSE(DecodeSeries(bytes)->points.empty());
  }
}

TEST(SeriesCodec, OnlyThePointsAskedForAreKept) {
  const std::string segment = EncodeSeries(Sample()).front();
  const auto all = DecodeSeries(segment);
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_GT(all->points.size(), 2u);
  const uint64_t first = all->points.front().function_hash;
  const uint64_t last = all->points.back().function_hash;

  const auto some = DecodeSeriesOf(segment, {last, first, 1});
  ASSERT_TRUE(some.ok()) << some.status();
  ASSERT_EQ(some->points.size(), 2u);
  EXPECT_EQ(some->points[0].function_hash, first);
  EXPECT_EQ(some->points[0].calls, all->points.front().calls);
  EXPECT_EQ(some->points[1].function_hash, last);
  EXPECT_EQ(some->points[1].total_samples, all->points.back().total_samples);
  EXPECT_EQ(some->sample_rate, 100);
  EXPECT_EQ(some->repetitions, 3u);
}

TEST(SeriesCodec, DamageBehindThePointAskedForIsFound) {
  const std::string segment = EncodeSeries(Sample()).front();
  const auto all = DecodeSeries(segment);
  ASSERT_TRUE(all.ok()) << all.status();
  const uint64_t first = all->points.front().function_hash;

  const auto some = DecodeSeriesOf(segment.substr(0, segment.size() - 1), {first});
  EXPECT_EQ(some.status().code(), absl::StatusCode::kDataLoss);
}

TEST(SeriesCodec, EveryPrefixIsAnError) {
  for (const std::string& bytes : EncodeSeries(Sample())) {
    for (size_t size = 0; size < bytes.size(); ++size) {
      ASSERT_FALSE(DecodeSeries(bytes.substr(0, size)).ok()) << size;
    }
  }
}

void ExpectError(const std::string& bytes, const std::string& message) {
  auto segment = DecodeSeries(bytes);
  ASSERT_FALSE(segment.ok());
  EXPECT_THAT(std::string(segment.status().message()), HasSubstr(message));
}

TEST(SeriesCodec, MorePointsThanBytes) {
  const std::string head = std::string("\1", 1) + std::string(8, '\0') + "\1";
  ExpectError(head + "\xff\xff\xff\xff\x0f", "4294967295 points do not fit");
}

TEST(SeriesCodec, BytesAfterTheLastPoint) {
  ExpectError(EncodeSeries(Sample())[0] + "x", "bytes follow");
}

TEST(SeriesCodec, HashThatIsThereTwice) {
  const std::string head = std::string("\1", 1) + std::string(8, '\0') + "\1\2";
  ExpectError(head + "\1\1\1\1" + std::string("\0\1\1\1", 4), "hash before byte 16 of 19");
}

TEST(SeriesCodec, OtherVersion) { ExpectError("\2", "version before byte 1 of 1: 2 is not 1"); }

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
