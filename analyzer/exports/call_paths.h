// A profile as a tree of call paths, the input of flame graphs. Paths are measured if the stacks of
// samples were recorded, else unfolded from the call graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "analyzer/listing/annotated_source.h"
#include "analyzer/listing/rows.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// Frames without a row.
inline constexpr uint32_t kImageFrame = UINT32_MAX;           // code of the image in no row
inline constexpr uint32_t kDeeperFrame = UINT32_MAX - 1;      // calls that were not unfolded
inline constexpr uint32_t kUnreadableFrame = UINT32_MAX - 2;  // outer frames that could not be read

struct PathNode {
  // Or one of the frames above; or, from the number of rows on, the number of rows plus an index
  // into RawProfile::others.
  uint32_t row = 0;
  int64_t parent = -1;  // index, less than the node's own; -1: outermost
  double samples = 0;   // self samples of this path
};

struct CallPaths {
  std::vector<PathNode> nodes;
  bool measured = false;
};

// The paths of all samples: also of those in other objects and in no row. `limit` bounds the number
// of unfolded nodes. Measured nodes are not limited.
CallPaths FindCallPaths(const ListingInput& listing, const profile::RawProfile& profile,
                        size_t limit = 50000);

// The input of the export writers.

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

// Names of the frames of call paths, escaped for the formats.

// The frame's name; frames without a row have names in brackets.
std::string FrameName(const ExportInput& input, uint32_t row);

// `name` with control characters and `forbidden`, which would end a line or a field, replaced by
// '?'. A symbol's name may hold any byte but 0.
std::string WithoutBreaks(absl::string_view name, absl::string_view forbidden = "");

// Units (of the profile's dimension) per sample.
double UnitsPerSample(const ListingInput& listing);

}  // namespace gprofhub::analyzer
