#include "reporter/history/level_starts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace gprofhub::reporter {
namespace {

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

}  // namespace
}  // namespace gprofhub::reporter
