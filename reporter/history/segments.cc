#include "reporter/history/segments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "reporter/history/level_starts.h"

namespace gprofhub::reporter {

Segments::Segments(std::vector<TimePoint> points, const Scatter& scatter)
    : points_(std::move(points)), dispersion_(scatter.dispersion) {
  samples_.push_back(0);
  exposure_.push_back(0);
  for (const TimePoint& point : points_) {
    samples_.push_back(samples_.back() + point.samples);
    exposure_.push_back(exposure_.back() + point.exposure);
  }
}

double Segments::Cost(size_t begin, size_t end) const {
  const double samples = Samples(begin, end);
  if (samples <= 0) return 0;
  return -2 * samples * std::log(samples / Exposure(begin, end)) / dispersion_;
}

std::vector<size_t> Segments::Partition(double penalty) const {
  const size_t n = size();
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<size_t> last(n + 1, 0);
  best[0] = -penalty;
  LevelStarts starts;
  for (size_t end = kShortestLevel; end <= n; ++end) {
    const size_t newest = end - kShortestLevel;
    if (newest == 0 || newest >= kShortestLevel) {
      // Constant terms of the cost are omitted.
      starts.Add({newest, exposure_[newest], samples_[newest],
                  best[newest] + 2 * samples_[newest] / dispersion_},
                 dispersion_);
    }
    for (const size_t begin : starts.begins()) {
      const double cost = best[begin] + Cost(begin, end) + penalty;
      if (cost < best[end]) {
        best[end] = cost;
        last[end] = begin;
      }
    }
  }
  std::vector<size_t> cuts = {n};
  while (cuts.back() > 0) cuts.push_back(last[cuts.back()]);
  std::reverse(cuts.begin(), cuts.end());
  return cuts;
}

double Segments::Effect(size_t begin, size_t cut, size_t end) const {
  return std::log((Samples(cut, end) + 0.5) / Exposure(cut, end)) -
         std::log((Samples(begin, cut) + 0.5) / Exposure(begin, cut));
}

double Segments::Error(size_t begin, size_t cut, size_t end) const {
  return std::sqrt(dispersion_ * (1 / (Samples(begin, cut) + 0.5) + 1 / (Samples(cut, end) + 0.5)));
}

double Segments::LineGain(size_t begin, size_t cut, size_t end) const {
  if (end - begin <= 2 * kShortestLevel) return -1;
  double weight = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  double levels = 0;
  const double expected[2] = {Rate(begin, cut), Rate(cut, end)};
  for (size_t i = begin; i < end; ++i) {
    const double w = points_[i].exposure;
    const double rate = points_[i].samples / points_[i].exposure;
    const double at = static_cast<double>(points_[i].release);
    weight += w, x += w * at, y += w * rate;
    xx += w * at * at, xy += w * at * rate, yy += w * rate * rate;
    const double off = rate - expected[i >= cut];
    levels += w * off * off;
  }
  const double sxx = xx - x * x / weight, sxy = xy - x * y / weight, syy = yy - y * y / weight;
  return levels - (sxx > 0 ? syy - sxy * sxy / sxx : syy);
}

}  // namespace gprofhub::reporter
