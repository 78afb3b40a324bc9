// One rate for samples that were taken at several.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "analyzer/target/target_profile.h"

namespace gprofhub::analyzer {

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

CommonRate ChooseRate(const std::map<std::pair<std::string, uint32_t>, Sampling>& sampling);

}  // namespace gprofhub::analyzer
