#include "reporter/history/time_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "reporter/history/scatter.h"

namespace gprofhub::reporter {
namespace {

// One release per count; a negative one is missing.
std::vector<CountPoint> Counts(const std::vector<double>& calls) {
  std::vector<CountPoint> points;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (calls[i] >= 0) points.push_back({i, calls[i], true});
  }
  return points;
}

TEST(VaryingCountSteps, NoiseIsNoneAndALastingStepIsOne) {
  std::mt19937_64 random(3);
  std::vector<double> noise, step;
  for (int i = 0; i < 30; ++i) {
    const double varied = std::floor(1000 + static_cast<double>(random() % 41));
    noise.push_back(varied);
    step.push_back(i < 12 ? varied : varied * 1.5);
  }
  EXPECT_TRUE(FindVaryingCountSteps(Counts(noise), {}).empty());
  const auto steps = FindVaryingCountSteps(Counts(step), {});
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].at, 12u);
  const auto flips = Counts({3, 4, 3, 3, 4, 4, 3, 4, 4, 4, 3, 3, 4, 3, 4, 4, 4, 3, 3, 3});
  EXPECT_TRUE(FindVaryingCountSteps(flips, {}).empty());
}

// Samples of a function whose rate at release i is rate(i), at 100 samples per second over 1 s,
// with `variation` from run to run.
template <typename Rate>
std::vector<TimePoint> Sampled(uint64_t seed, size_t releases, double variation, Rate rate) {
  std::mt19937_64 random(seed);
  // Hand-written, because distributions differ between standard libraries.
  const auto normal = [&random] {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11) * 0x1p-53;
    return sum;
  };
  std::vector<TimePoint> points;
  for (size_t i = 0; i < releases; ++i) {
    const double mean = rate(i) * std::exp(variation * normal());
    points.push_back({i, std::max(0.0, std::round(mean + std::sqrt(mean) * normal())), 100});
  }
  return points;
}

std::vector<ChangePoint> Find(const std::vector<TimePoint>& points) {
  const std::vector<std::vector<TimePoint>> alone = {points};
  return FindTimeSteps(points, EstimateScatter(alone)[0], {});
}

TEST(TimeSteps, NoneWhereOnlyNoiseIs) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto points = Sampled(seed, 30, 0.03, [](size_t) { return 500.0; });
    EXPECT_TRUE(Find(points).empty()) << "seed " << seed;
  }
}

TEST(TimeSteps, AStepIsFoundWhereItIs) {
  const auto found = Find(Sampled(1, 30, 0.02, [](size_t i) { return i < 17 ? 2000.0 : 2600.0; }));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].at, 17u);
  EXPECT_LE(found[0].last_before, 16u);
  EXPECT_GE(found[0].first_after, 17u);
  EXPECT_LE(found[0].first_after - found[0].last_before, 3u);
  EXPECT_NEAR(found[0].before, 20, 1);
  EXPECT_NEAR(found[0].after, 26, 1);
  EXPECT_TRUE(found[0].confirmed);
}

TEST(TimeSteps, StepAndBackAreTwo) {
  const auto found =
      Find(Sampled(2, 30, 0.02, [](size_t i) { return i >= 10 && i < 18 ? 3000.0 : 2000.0; }));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].at, 10u);
  EXPECT_EQ(found[1].at, 18u);
}

TEST(TimeSteps, SingleOddRunsAreNone) {
  for (const size_t odd : {0, 7, 15, 29}) {
    const auto found =
        Find(Sampled(3, 30, 0.02, [odd](size_t i) { return i == odd ? 6000.0 : 2000.0; }));
    EXPECT_TRUE(found.empty()) << odd;
  }
}

TEST(TimeSteps, AStepBeforeTheNewestTwoRunsIsFound) {
  const auto found = Find(Sampled(4, 30, 0.02, [](size_t i) { return i < 28 ? 2000.0 : 4000.0; }));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].at, 28u);
}

TEST(TimeSteps, ASlowDriftHasNoReleaseToBlame) {
  const auto found =
      Find(Sampled(5, 30, 0.01, [](size_t i) { return 5000 * std::pow(1.03, double(i)); }));
  EXPECT_TRUE(found.empty());
}

TEST(TimeSteps, LessThanTheMinimumEffectIsNone) {
  const auto found = Find(Sampled(6, 60, 0.001, [](size_t i) { return i < 30 ? 1e6 : 1.04e6; }));
  EXPECT_TRUE(found.empty());
}

TEST(TimeSteps, FewSamplesTellLittle) {
  const auto few = Find(Sampled(7, 30, 0.02, [](size_t i) { return i < 15 ? 4.0 : 5.0; }));
  EXPECT_TRUE(few.empty());
  const auto appears = Find(Sampled(8, 30, 0.02, [](size_t i) { return i < 15 ? 0.0 : 40.0; }));
  ASSERT_EQ(appears.size(), 1u);
  EXPECT_EQ(appears[0].at, 15u);
}

TEST(TimeSteps, MissingRunsAreNoTrouble) {
  auto points = Sampled(9, 30, 0.02, [](size_t i) { return i < 15 ? 2000.0 : 3000.0; });
  points.erase(points.begin() + 13, points.begin() + 17);  // 13 to 16
  const auto found = Find(points);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].last_before, 12u);
  EXPECT_EQ(found[0].first_after, 17u);
  EXPECT_TRUE(FindTimeSteps({}, Scatter(), {}).empty());
  EXPECT_TRUE(Find({points.begin(), points.begin() + 3}).empty()) << "too few to tell";
}

TEST(TimeSteps, FindsNineOfTenAmongManySeries) {
  const size_t at[] = {3, 5, 8, 10, 13, 16, 19, 21, 24, 27};
  std::vector<std::vector<TimePoint>> series;
  for (size_t f = 0; f < 500; ++f) {
    const double mean = f < 10 ? 1500 : 20 + static_cast<double>(f * f % 3000);
    series.push_back(Sampled(100 + f, 30, 0.03, [&](size_t i) {
      return f < 10 && i >= at[f] ? (f % 2 == 0 ? mean * 1.3 : mean / 1.3) : mean;
    }));
  }
  const std::vector<Scatter> scatters = EstimateScatter(series);
  ChangePointOptions options;
  options.series = series.size();
  size_t found = 0, wrong = 0;
  for (size_t f = 0; f < series.size(); ++f) {
    for (const ChangePoint& change : FindTimeSteps(series[f], scatters[f], options)) {
      const bool right = f < 10 && std::max(change.at, at[f]) - std::min(change.at, at[f]) <= 1;
      ++(right ? found : wrong);
    }
  }
  EXPECT_GE(found, 9u);
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace gprofhub::reporter
