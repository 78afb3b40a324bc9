// Segmentation of a series into levels: costs, and the optimal cuts.
#pragma once

#include <cstddef>
#include <vector>

#include "reporter/history/change_points.h"
#include "reporter/history/scatter.h"

namespace gprofhub::reporter {

// Minimum length of a level, in releases.
inline constexpr size_t kShortestLevel = 2;

// A segment is [begin, end) of the series. Costs come from prefix sums.
class Segments {
 public:
  Segments(std::vector<TimePoint> points, const Scatter& scatter);

  size_t size() const { return points_.size(); }
  const TimePoint& operator[](size_t i) const { return points_[i]; }

  double Rate(size_t begin, size_t end) const { return Samples(begin, end) / Exposure(begin, end); }

  // The quasi-deviance of time_steps.cc. 0 without samples.
  double Cost(size_t begin, size_t end) const;

  // The cuts with the minimum sum of costs and penalties; every level but the first costs a
  // penalty. The result begins with 0 and ends with size(); between them are the starts of the
  // other levels. Each level has at least kShortestLevel releases, unless the series is shorter.
  std::vector<size_t> Partition(double penalty) const;

  // log(after / before) of a change at `cut`, and its standard error. Half a sample is added to
  // each side, so that the logarithm is finite without samples.
  double Effect(size_t begin, size_t cut, size_t end) const;
  double Error(size_t begin, size_t cut, size_t end) const;

  // How much better one line fits the points of both levels than the levels do, as the difference
  // of the weighted sums of squares. Positive for a drift. Negative for up to four points, which
  // are too few to decide.
  double LineGain(size_t begin, size_t cut, size_t end) const;

 private:
  double Samples(size_t begin, size_t end) const { return samples_[end] - samples_[begin]; }
  double Exposure(size_t begin, size_t end) const { return exposure_[end] - exposure_[begin]; }

  const std::vector<TimePoint> points_;
  const double dispersion_;
  std::vector<double> samples_, exposure_;  // prefix sums
};

}  // namespace gprofhub::reporter
