// Level 64: which share of each bin a row gets.
#pragma once

#include <string>
#include <vector>

#include "analyzer/listing_input.h"
#include "profile/raw_profile.h"

namespace gprofhub {

// `histograms`: their sums, with bins.
std::string TraceSamples(const ListingInput& input, const std::vector<Histogram>& histograms);

}  // namespace gprofhub
