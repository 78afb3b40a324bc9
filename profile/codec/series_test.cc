#include "profile/codec/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

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

}  // namespace
}  // namespace gprofhub::profile
