// The middle of a number of values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gprofhub::base {

// For an even number of values, the mean of the two middle ones. 0 if there are no values.
inline double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace gprofhub::base
