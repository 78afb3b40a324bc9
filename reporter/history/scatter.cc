// The dispersion is estimated from the differences of neighbouring releases (von Neumann 1941),
// which are robust against steps. The median is used, since a few differences are steps. It is
// shrunk towards the typical value of all series at that number of samples. The shrinkage also
// yields the degrees of freedom of Student's t.
#include "reporter/history/scatter.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/median.h"

namespace gprofhub::reporter {
namespace {

constexpr double kAssumedVariation = 0.03;
constexpr double kEnoughSamples = 20;
constexpr size_t kEnoughSeries = 5;
constexpr double kTypicalDf = 12;  // weight of the typical scatter
constexpr double kMedianChiSquare = 0.4549;
// Each point is in two differences. So the median of n differences is worth fewer degrees of
// freedom than n independent squares: this factor times n.
constexpr double kDfPerDifference = 0.3;
constexpr double kLeastCountVariation = 0.005;
constexpr size_t kFewestPoints = 4;

double MeanSamples(absl::Span<const TimePoint> points) {
  double sum = 0;
  for (const TimePoint& point : points) sum += point.samples;
  return points.empty() ? 0 : sum / static_cast<double>(points.size());
}

// Dispersion from neighbours' differences alone.
double OwnDispersion(absl::Span<const TimePoint> points) {
  std::vector<double> squares;
  for (size_t i = 1; i < points.size(); ++i) {
    squares.push_back(ScaledDifference(points[i - 1], points[i]));
  }
  return squares.empty() ? 1 : base::Median(std::move(squares)) / kMedianChiSquare;
}

// For series in which many neighbours are equal, so that the median is useless: a mean without the
// largest tenth, which are the steps.
double TrimmedDispersion(absl::Span<const TimePoint> points) {
  std::vector<double> squares;
  for (size_t i = 1; i < points.size(); ++i) {
    squares.push_back(ScaledDifference(points[i - 1], points[i]));
  }
  if (squares.size() < 2) return 0;
  std::sort(squares.begin(), squares.end());
  squares.resize(squares.size() - 1 - squares.size() / 10);
  double sum = 0;
  for (const double square : squares) sum += square;
  return sum / static_cast<double>(squares.size());
}

}  // namespace

double ScaledDifference(const TimePoint& a, const TimePoint& b) {
  const double samples = a.samples + b.samples;
  const double exposure = a.exposure + b.exposure;
  if (samples <= 0 || exposure <= 0) return 0;
  const double rate = samples / exposure;
  const double gap = a.samples / a.exposure - b.samples / b.exposure;
  return gap * gap / (rate * (1 / a.exposure + 1 / b.exposure));
}

std::vector<Scatter> EstimateScatter(absl::Span<const std::vector<TimePoint>> series) {
  std::vector<double> variations;  // squared coefficients of variation beyond Poisson
  for (const std::vector<TimePoint>& points : series) {
    const double mean = MeanSamples(points);
    if (mean < kEnoughSamples || points.size() < kFewestPoints) continue;
    variations.push_back(std::max(0.0, OwnDispersion(points) - 1) / mean);
  }
  const double typical = variations.size() < kEnoughSeries ? kAssumedVariation * kAssumedVariation
                                                           : base::Median(std::move(variations));
  std::vector<Scatter> scatters;
  for (const std::vector<TimePoint>& points : series) {
    const double expected = 1 + typical * MeanSamples(points);
    const double differences = points.empty() ? 0 : static_cast<double>(points.size() - 1);
    const double df = kDfPerDifference * differences;
    Scatter scatter;
    scatter.df = df + kTypicalDf;
    scatter.dispersion =
        std::max(1.0, (df * OwnDispersion(points) + kTypicalDf * expected) / scatter.df);
    scatters.push_back(scatter);
  }
  return scatters;
}

Scatter ScatterOfCounts(absl::Span<const TimePoint> points) {
  Scatter scatter;
  scatter.dispersion =
      std::max({OwnDispersion(points), TrimmedDispersion(points), 1e-9,
                kLeastCountVariation * kLeastCountVariation * MeanSamples(points)});
  scatter.df = std::max(3.0, kDfPerDifference * static_cast<double>(points.size()));
  return scatter;
}

}  // namespace gprofhub::reporter
