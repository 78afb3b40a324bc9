#include "reporter/history/segments.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace gprofhub::reporter {
namespace {

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

}  // namespace
}  // namespace gprofhub::reporter
