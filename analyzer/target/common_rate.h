// One rate for samples that were taken at several: an exact one for listings, and
// one that says how precise a sum is.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "analyzer/target/target_profile.h"

namespace gprofhub::analyzer {

// The least rate, in samples per unit, that every one of `rates` divides; 0 counts
// as 1, and of no rates it is 1. Counts multiplied by it over their own rate stay
// whole numbers, and the times they stand for stay as they are. INVALID_ARGUMENT if
// it exceeds 32 bits, which is what a profile's header has room for.
absl::StatusOr<uint32_t> ExactRate(const std::set<uint32_t>& rates);

struct CommonRate {
  // The dimension that most samples count; the others are not comparable.
  std::string dimension = "seconds";
  // At which the samples of that dimension are counted, per unit of it.
  double rate = 0;
  double left_out = 0;  // samples of other dimensions

  // How many samples at `rate` a period at `rate_of_histogram` stands for; 0 if its
  // dimension is another.
  double Weight(const std::string& dimension_of_histogram, uint32_t rate_of_histogram) const;
};

// The rate at which counts are as precise as the samples they stand for.
CommonRate ChooseRate(const std::map<std::pair<std::string, uint32_t>, Sampling>& sampling);

}  // namespace gprofhub::analyzer
