#include "store/packing/column_coder.h"

#include <algorithm>
#include <iterator>

namespace gprofhub::store {

std::vector<uint64_t> Distinct(const std::vector<uint64_t>& values) {
  std::vector<uint64_t> distinct;
  // Neighbours are often the same: then there is less to sort.
  std::unique_copy(values.begin(), values.end(), std::back_inserter(distinct));
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  return distinct;
}

std::vector<uint64_t> PlacesOf(const std::vector<uint64_t>& values,
                               const std::vector<uint64_t>& distinct) {
  std::vector<uint64_t> places;
  places.reserve(values.size());
  auto place = distinct.begin();
  for (const uint64_t value : values) {
    if (place == distinct.end() || *place != value) {
      place = std::lower_bound(distinct.begin(), distinct.end(), value);
    }
    places.push_back(static_cast<uint64_t>(place - distinct.begin()));
  }
  return places;
}

std::vector<uint64_t> StepsOf(const std::vector<uint64_t>& values) {
  std::vector<uint64_t> steps;
  steps.reserve(values.size());
  uint64_t before = 0;
  for (const uint64_t value : values) {
    steps.push_back(value - before);
    before = value;
  }
  return steps;
}

}  // namespace gprofhub::store
