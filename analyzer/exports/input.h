// The input of the export writers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/annotations/annotated_source.h"
#include "analyzer/annotations/execution_counts.h"
#include "analyzer/listing/input.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// The number of records of each kind in a profile.
struct ProfileRecords {
  std::string path;
  uint32_t version = 0;  // of the format; 0: BSD
  uint64_t histograms = 0;
  uint64_t arcs = 0;
  uint64_t blocks = 0;
};

// The requested listings in addition to the profile. Only JSON has them.
struct FurtherListings {
  std::optional<std::vector<SourceAnnotation>> sources;
  std::optional<std::vector<ExecutionCount>> executions;
  std::optional<std::vector<ProfileRecords>> profiles;
  std::optional<std::vector<std::string>> function_order;  // linkage names
  std::optional<std::vector<std::string>> file_order;      // object files
};

struct ExportInput {
  const ListingInput& listing;
  const profile::RawProfile& profile;  // whose stacks, if any, are exported as they are
  std::string image;                   // the program's file name
  FurtherListings further = {};
};

}  // namespace gprofhub::analyzer
