// A common rate for samples that were taken at several rates: an exact one for listings, and an
// effective one that expresses the precision of a sum.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "analyzer/target/target_profile.h"

namespace gprofhub::analyzer {

// The least common multiple of `rates`, in samples per unit; 0 counts as 1, and the result for no
// rates is 1. Counts scaled by the result over their own rate stay integers, and their times stay
// unchanged. INVALID_ARGUMENT if the result exceeds 32 bits, the size of the field in a profile's
// header.
absl::StatusOr<uint32_t> ExactRate(const std::set<uint32_t>& rates);

struct CommonRate {
  // The dimension that most samples count; the others are not comparable.
  std::string dimension = "seconds";
  // Rate at which the samples of that dimension are counted, per unit.
  double rate = 0;
  double left_out = 0;  // samples of other dimensions

  // The number of samples at `rate` per period at `rate_of_histogram`; 0 if its dimension differs.
  double Weight(const std::string& dimension_of_histogram, uint32_t rate_of_histogram) const;
};

// The rate at which counts have the precision of the original samples.
CommonRate ChooseRate(const std::map<std::pair<std::string, uint32_t>, Sampling>& sampling);

}  // namespace gprofhub::analyzer
