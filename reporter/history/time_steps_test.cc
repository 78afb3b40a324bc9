#include "reporter/history/time_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

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

TEST(CountSteps, NoneWhereNothingChanges) {
  const auto points = Counts({7, 7, 7, 7});
  EXPECT_TRUE(IsExact(points));
  EXPECT_TRUE(FindCountSteps(points).empty());
  EXPECT_TRUE(FindCountSteps({}).empty());
  EXPECT_TRUE(FindCountSteps(Counts({7})).empty());
}

TEST(CountSteps, AStepStays) {
  const auto points = Counts({7, 7, 8, 8, 8});
  EXPECT_TRUE(IsExact(points));
  const auto steps = FindCountSteps(points);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].last_before, 1u);
  EXPECT_EQ(steps[0].at, 2u);
  EXPECT_EQ(steps[0].first_after, 2u);
  EXPECT_TRUE(steps[0].confirmed);
  EXPECT_EQ(steps[0].before, 7);
  EXPECT_EQ(steps[0].after, 8);
}

TEST(CountSteps, StepAndBackAreTwo) {
  const auto points = Counts({7, 7, 9, 9, 9, 7, 7});
  EXPECT_TRUE(IsExact(points));
  const auto steps = FindCountSteps(points);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].at, 2u);
  EXPECT_EQ(steps[1].at, 5u);
  EXPECT_EQ(steps[1].after, 7);
}

TEST(CountSteps, ASingleOddRunIsNone) {
  const auto points = Counts({7, 7, 9, 7, 7, 7});
  EXPECT_TRUE(IsExact(points));
  EXPECT_TRUE(FindCountSteps(points).empty());
}

TEST(CountSteps, AnOddRunBetweenTwoLevelsWidensTheRange) {
  const auto steps = FindCountSteps(Counts({7, 7, 7, 8, 9, 9}));
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].last_before, 2u);
  EXPECT_EQ(steps[0].first_after, 4u);
  EXPECT_EQ(steps[0].after, 9);
}

TEST(CountSteps, TheNewestRunIsUnconfirmed) {
  const auto steps = FindCountSteps(Counts({7, 7, 7, 9}));
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].at, 3u);
  EXPECT_FALSE(steps[0].confirmed);
}

TEST(CountSteps, MissingRunsWidenTheRange) {
  const auto steps = FindCountSteps(Counts({7, 7, -1, -1, 9, 9}));
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].last_before, 1u);
  EXPECT_EQ(steps[0].first_after, 4u);
}

TEST(CountSteps, AFunctionThatAppearsSteps) {
  const auto steps = FindCountSteps(Counts({0, 0, 5, 5}));
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].before, 0);
}

TEST(IsExact, NotWhereCountsComeAndGo) {
  EXPECT_FALSE(IsExact(Counts({1, 2, 3, 4, 5, 6}))) << "changes at every run";
  EXPECT_FALSE(IsExact(Counts({3, 3, 4, 4, 3, 3, 4, 4, 3, 3}))) << "back to 3 twice";
  EXPECT_FALSE(IsExact(Counts({3, 4, 3, 3, 5, 3, 3, 9, 3}))) << "three odd runs of nine";
  auto points = Counts({7, 7, 7});
  points[1].repeats = false;
  EXPECT_FALSE(IsExact(points)) << "executions of one release disagree";
}

struct Series {
  std::vector<double> samples = {0}, exposure = {0};  // prefix sums
  size_t size() const { return samples.size() - 1; }
};

// Levels of random rates, with a mean length of `level`.
Series MakeSeries(size_t size, size_t level, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exposures(50, 150), rates(0, 3);
  Series series;
  double rate = 1;
  for (size_t i = 0; i < size; ++i) {
    if (random() % level == 0) rate = seed % 3 == 0 && random() % 4 == 0 ? 0 : rates(random);
    const double exposure = exposures(random);
    std::poisson_distribution<int> samples(rate * exposure + 1e-9);
    series.exposure.push_back(series.exposure.back() + exposure);
    series.samples.push_back(series.samples.back() + samples(random));
  }
  return series;
}

double Cost(const Series& series, double dispersion, size_t begin, size_t end) {
  const double samples = series.samples[end] - series.samples[begin];
  const double exposure = series.exposure[end] - series.exposure[begin];
  if (samples <= 0) return 0;
  return 2 / dispersion * (samples - samples * std::log(samples / exposure));
}

// Compares the minimum costs for each end between all starts and the remaining ones. Returns the
// maximum number of remaining starts.
size_t CompareCosts(const Series& series, double dispersion, double penalty) {
  std::vector<double> best = {-penalty};
  LevelStarts starts;
  size_t most = 0;
  for (size_t end = 1; end <= series.size(); ++end) {
    starts.Add({end - 1, series.exposure[end - 1], series.samples[end - 1], best[end - 1]},
               dispersion);
    const auto cost = [&](size_t begin) {
      return best[begin] + Cost(series, dispersion, begin, end) + penalty;
    };
    double of_all = std::numeric_limits<double>::infinity(), of_left = of_all;
    for (size_t begin = 0; begin < end; ++begin) of_all = std::min(of_all, cost(begin));
    for (const size_t begin : starts.begins()) of_left = std::min(of_left, cost(begin));
    EXPECT_EQ(of_left, of_all) << "end " << end;
    best.push_back(of_all);
    most = std::max(most, starts.begins().size());
  }
  return most;
}

TEST(LevelStarts, ABestBeginIsNeverDropped) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Series series = MakeSeries(150, seed % 2 == 0 ? 8 : 60, seed);
    for (const double dispersion : {0.7, 1.0, 6.0}) {
      for (const double penalty : {0.5, 8.0, 40.0}) {
        SCOPED_TRACE(testing::Message() << seed << " " << dispersion << " " << penalty);
        CompareCosts(series, dispersion, penalty);
      }
    }
  }
}

TEST(LevelStarts, FewAreLeftHoweverLongTheSeriesIs) {
  EXPECT_LT(CompareCosts(MakeSeries(1500, 1'000'000, 5), 1, 15), 40u) << "without a change";
  EXPECT_LT(CompareCosts(MakeSeries(1500, 100, 7), 1, 15), 40u) << "with changes";
}

TEST(LevelStarts, ASeriesWithoutSamplesHasThem) {
  Series series;
  for (int i = 1; i <= 50; ++i) {
    series.exposure.push_back(100 * i);
    series.samples.push_back(0);
  }
  CompareCosts(series, 1, 10);
}

std::vector<TimePoint> ScatterSeries(const std::vector<double>& samples) {
  std::vector<TimePoint> points;
  for (const double sample : samples) points.push_back({points.size(), sample, 1});
  return points;
}

Scatter ScatterOf(const std::vector<double>& samples) {
  const std::vector<std::vector<TimePoint>> alone = {ScatterSeries(samples)};
  return EstimateScatter(alone)[0];
}

TEST(EstimateScatter, IsNeverLessThanSamplingsOwn) {
  EXPECT_GE(ScatterOf({50, 50, 50, 50, 50}).dispersion, 1);
}

TEST(EstimateScatter, AStepIsNoScatter) {
  const std::vector<double> level = {1000, 1010, 990, 1005, 995, 1000, 1012, 990};
  std::vector<double> step = level;
  for (size_t i = 4; i < step.size(); ++i) step[i] *= 3;
  const double alone = ScatterOf(level).dispersion;
  EXPECT_LT(ScatterOf(step).dispersion, 2 * alone);
}

TEST(EstimateScatter, MoreScatterIsSeen) {
  const std::vector<double> wild = {1000, 1500, 700, 1400, 800, 1600, 900, 1300};
  EXPECT_GT(ScatterOf(wild).dispersion, 20);
}

TEST(ScaledDifference, OfPoissonsLawIsAboutOne) {
  EXPECT_DOUBLE_EQ(ScaledDifference({0, 100, 1}, {1, 100, 1}), 0);
  EXPECT_DOUBLE_EQ(ScaledDifference({0, 90, 1}, {1, 110, 1}), 2);
  EXPECT_DOUBLE_EQ(ScaledDifference({0, 0, 1}, {1, 0, 1}), 0) << "nothing was sampled";
}

using ::testing::ElementsAre;

// Releases 0, 1, …, each with the given samples over an exposure of 100.
Segments Of(const std::vector<double>& samples, double dispersion = 1) {
  std::vector<TimePoint> points;
  for (size_t i = 0; i < samples.size(); ++i) points.push_back({i, samples[i], 100});
  return Segments(points, {dispersion, 1000});
}

double SumOfCosts(const Segments& segments, const std::vector<size_t>& cuts, double penalty) {
  double sum = penalty * (static_cast<double>(cuts.size()) - 2);
  for (size_t i = 1; i < cuts.size(); ++i) sum += segments.Cost(cuts[i - 1], cuts[i]);
  return sum;
}

// The minimum sum of costs and penalties over all segmentations of [0, end).
double LeastSum(const Segments& segments, size_t end, double penalty) {
  double least = segments.Cost(0, end);
  for (size_t cut = kShortestLevel; cut + kShortestLevel <= end; ++cut) {
    least = std::min(least, LeastSum(segments, cut, penalty) + segments.Cost(cut, end) + penalty);
  }
  return least;
}

TEST(Segments, ARateIsSamplesOverExposure) {
  const Segments segments({{3, 10, 100}, {5, 50, 200}, {6, 0, 100}}, Scatter());
  EXPECT_EQ(segments.size(), 3u);
  EXPECT_EQ(segments[1].release, 5u);
  EXPECT_DOUBLE_EQ(segments.Rate(0, 2), 0.2);
  EXPECT_DOUBLE_EQ(segments.Rate(1, 3), 50.0 / 300);
  EXPECT_DOUBLE_EQ(segments.Rate(2, 3), 0);
}

TEST(Segments, ACutNeverCostsMoreAndOneBetweenEqualRatesGainsNothing) {
  const Segments segments = Of({50, 50, 50, 80, 0});
  const double whole = segments.Cost(0, 3);
  EXPECT_NEAR(segments.Cost(0, 1) + segments.Cost(1, 3), whole, 1e-9);
  EXPECT_LT(segments.Cost(0, 3) + segments.Cost(3, 4), segments.Cost(0, 4));
  EXPECT_EQ(segments.Cost(4, 5), 0) << "without a sample";
}

TEST(Segments, WhatScattersMoreGainsLessByACut) {
  const auto gain = [](const Segments& segments) {
    return segments.Cost(0, 4) - segments.Cost(0, 2) - segments.Cost(2, 4);
  };
  EXPECT_NEAR(gain(Of({50, 50, 80, 80}, 4)), gain(Of({50, 50, 80, 80})) / 4, 1e-9);
}

TEST(Segments, ThePartitionCutsWhereTheRateChanges) {
  EXPECT_THAT(Of({500, 510, 505, 900, 910, 905, 400, 405}).Partition(20), ElementsAre(0, 3, 6, 8));
  EXPECT_THAT(Of({500, 510, 505, 900, 910, 905, 400, 405}).Partition(1e6), ElementsAre(0, 8));
  EXPECT_THAT(Of({500, 500, 500, 500}).Partition(1), ElementsAre(0, 4));
}

TEST(Segments, ALevelLastsTwoReleases) {
  for (const size_t odd : {0, 3, 7}) {
    std::vector<double> samples(8, 500);
    samples[odd] = 5000;
    const std::vector<size_t> cuts = Of(samples).Partition(1);
    for (size_t i = 1; i < cuts.size(); ++i) EXPECT_GE(cuts[i] - cuts[i - 1], 2u) << odd;
  }
}

TEST(Segments, NoOtherPartitionIsCheaper) {
  const Segments segments = Of({500, 520, 700, 710, 480, 900, 905, 650, 300, 310, 690});
  for (const double penalty : {0.1, 5.0, 20.0, 60.0, 500.0}) {
    const std::vector<size_t> cuts = segments.Partition(penalty);
    EXPECT_NEAR(SumOfCosts(segments, cuts, penalty), LeastSum(segments, segments.size(), penalty),
                1e-6)
        << penalty;
  }
}

// The minimum sum of costs and penalties of all segmentations, by trying each start for each end.
double LeastOfAllStarts(const Segments& segments, double penalty) {
  std::vector<double> least(segments.size() + 1, std::numeric_limits<double>::infinity());
  least[0] = -penalty;
  for (size_t end = kShortestLevel; end <= segments.size(); ++end) {
    for (size_t begin = 0; begin + kShortestLevel <= end; ++begin) {
      least[end] = std::min(least[end], least[begin] + segments.Cost(begin, end) + penalty);
    }
  }
  return least.back();
}

// Levels of 20 to 300 releases around `mean`, with exposures that differ by a factor of four.
std::vector<TimePoint> LevelsAround(double mean, double spread, size_t releases, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<TimePoint> points;
  double level = mean;
  size_t until = 0;
  for (size_t i = 0; i < releases; ++i) {
    if (i == until) {
      until += 20 + random() % 280;
      level = mean * std::exp(spread * std::normal_distribution<double>()(random));
    }
    const double exposure = 1 + static_cast<double>(random() % 4);
    points.push_back(
        {i, double(std::poisson_distribution<int>(level * exposure)(random)), exposure});
  }
  return points;
}

TEST(Segments, NoPartitionIsMissedByLeavingOutPositions) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    for (const double mean : {0.02, 1.0, 300.0}) {
      for (const double spread : {0.0, 0.1, 1.0}) {
        const Segments segments(LevelsAround(mean, spread, 40 + seed * 13, seed), {1.5, 1000});
        for (const double penalty : {0.5, 6.0, 25.0}) {
          SCOPED_TRACE(testing::Message()
                       << seed << " " << mean << " " << spread << " " << penalty);
          const double least = LeastOfAllStarts(segments, penalty);
          EXPECT_NEAR(SumOfCosts(segments, segments.Partition(penalty), penalty), least,
                      1e-9 * (1 + std::abs(least)));
        }
      }
    }
  }
}

TEST(Segments, FewPositionsAreTriedWhereNothingChanges) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Segments segments(LevelsAround(100, 0, 1000, seed), {1, 1000});
    EXPECT_LT(segments.PossibleCuts(35).size(), 50u) << seed;
    EXPECT_GT(segments.PossibleCuts(0.1).size(), 950u) << seed;
  }
}

TEST(Segments, TooFewReleasesAreOneLevel) {
  EXPECT_THAT(Of({}).Partition(1), ElementsAre(0));
  EXPECT_THAT(Of({500}).Partition(1), ElementsAre(0, 1));
  EXPECT_THAT(Of({500, 900}).Partition(1), ElementsAre(0, 2));
  EXPECT_THAT(Of({500, 900, 900}).Partition(1), ElementsAre(0, 3));
}

TEST(Segments, AnEffectIsTheLogarithmOfTheRatio) {
  const Segments segments = Of({1e6, 1e6, 3e6, 3e6});
  EXPECT_NEAR(segments.Effect(0, 2, 4), std::log(3), 1e-6);
  EXPECT_NEAR(segments.Error(0, 2, 4), std::sqrt(1 / 2e6 + 1 / 6e6), 1e-9);
  EXPECT_NEAR(Of({1e6, 1e6, 3e6, 3e6}, 4).Error(0, 2, 4), 2 * segments.Error(0, 2, 4), 1e-12);
}

TEST(Segments, TheEffectOfWhatHadNoSampleIsFinite) {
  const Segments segments = Of({0, 0, 50, 50});
  EXPECT_NEAR(segments.Effect(0, 2, 4), std::log(100.5 / 0.5), 1e-9);
  EXPECT_TRUE(std::isfinite(segments.Error(0, 2, 4)));
}

TEST(Segments, ALineFitsADriftBetterAndAStepWorse) {
  EXPECT_GT(Of({500, 520, 540, 560, 580, 600}).LineGain(0, 3, 6), 0);
  EXPECT_LT(Of({500, 500, 500, 600, 600, 600}).LineGain(0, 3, 6), 0);
}

TEST(Segments, TheGainOfALineIsTheDifferenceOfTheWeightedSquares) {
  // Rates 1, 3, 3, 5, 6 of weights 100; levels 2 and 14/3; the line 3.6 + 1.2 (i - 2).
  const double levels =
      2 * 1 + std::pow(3 - 14.0 / 3, 2) + std::pow(5 - 14.0 / 3, 2) + std::pow(6 - 14.0 / 3, 2);
  const double line = 0.04 + 0.36 + 0.36 + 0.04 + 0;
  EXPECT_NEAR(Of({100, 300, 300, 500, 600}).LineGain(0, 2, 5), 100 * (levels - line), 1e-6);
}

TEST(Segments, FourPointsTellNoDrift) { EXPECT_LT(Of({500, 520, 540, 560}).LineGain(0, 2, 4), 0); }

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
