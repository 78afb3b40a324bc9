// A series cut into levels: what each cut costs, and the best cuts.
#pragma once

#include <cstddef>
#include <vector>

#include "reporter/history/change_points.h"
#include "reporter/history/scatter.h"

namespace gprofhub::reporter {

// A level lasts so many releases at least.
inline constexpr size_t kShortestLevel = 2;

// Segments are [begin, end) of the series; their costs are read off prefix sums.
class Segments {
 public:
  Segments(std::vector<TimePoint> points, const Scatter& scatter);

  size_t size() const { return points_.size(); }
  const TimePoint& operator[](size_t i) const { return points_[i]; }

  double Rate(size_t begin, size_t end) const { return Samples(begin, end) / Exposure(begin, end); }

  // The quasi-deviance of time_steps.cc.
  double Cost(size_t begin, size_t end) const;

  // The cuts with the least sum of costs and penalties. Begins with 0 and ends with size(): between
  // them the starts of the levels but the first.
  std::vector<size_t> Partition(double penalty) const;

  // log(after / before) of a change at `cut`, and its standard error. Half a sample
  // more on each side, so that none is no logarithm of zero.
  double Effect(size_t begin, size_t cut, size_t end) const;
  double Error(size_t begin, size_t cut, size_t end) const;

  // How much better a line fits the points of both levels than the levels do: the
  // difference of the weighted sums of squares; positive for a drift.
  double LineGain(size_t begin, size_t cut, size_t end) const;

 private:
  double Samples(size_t begin, size_t end) const { return samples_[end] - samples_[begin]; }
  double Exposure(size_t begin, size_t end) const { return exposure_[end] - exposure_[begin]; }

  const std::vector<TimePoint> points_;
  const double dispersion_;
  std::vector<double> samples_, exposure_;  // prefix sums
};

}  // namespace gprofhub::reporter
