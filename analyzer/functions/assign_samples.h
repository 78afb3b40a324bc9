// Attribution of samples to functions: each histogram bin is credited to the functions that it
// overlaps, in proportion to the overlap.
#pragma once

#include <vector>

#include "analyzer/functions/function_table.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// Histograms count in units of this many bytes.
inline constexpr uint64_t kUnitBytes = 2;

struct AssignedSamples {
  std::vector<double> by_function;  // parallel to FunctionTable::functions
  double total = 0;                 // all samples, attributed or not
};

// Linear in bins plus functions per histogram.
AssignedSamples AssignSamples(const FunctionTable& table,
                              const std::vector<profile::Histogram>& histograms,
                              SymbolPolicy policy);

}  // namespace gprofhub::analyzer
