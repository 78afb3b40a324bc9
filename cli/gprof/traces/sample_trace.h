// Level 64: which share of each bin a row gets; 512: whether that counts.
#pragma once

#include <string>
#include <vector>

#include "analyzer/listing/input.h"
#include "cli/gprof/traces/symspec_searches.h"
#include "profile/raw_profile.h"

namespace gprofhub::cli {

// `histograms`: their sums, with bins.
std::string TraceSamples(const analyzer::ListingInput& input,
                         const std::vector<profile::Histogram>& histograms,
                         const SymspecSearches& searches, unsigned levels);

}  // namespace gprofhub::cli
