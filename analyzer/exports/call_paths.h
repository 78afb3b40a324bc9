// A profile as a tree of call paths, which flame graphs want: measured where the
// stacks of samples were recorded, else unfolded from the call graph.
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

// Frames that are no row.
inline constexpr uint32_t kElsewhereFrame = UINT32_MAX;       // code of another module
inline constexpr uint32_t kDeeperFrame = UINT32_MAX - 1;      // calls that were not unfolded
inline constexpr uint32_t kUnreadableFrame = UINT32_MAX - 2;  // outer frames that could not be read

struct PathNode {
  uint32_t row = 0;     // or one of the frames above
  int64_t parent = -1;  // index, less than the node's own; -1: outermost
  double samples = 0;   // spent here, with this path as the stack
};

struct CallPaths {
  std::vector<PathNode> nodes;
  bool measured = false;
};

// `limit` bounds the nodes that are unfolded (measured ones are not unfolded).
CallPaths FindCallPaths(const ListingInput& listing, const profile::RawProfile& profile,
                        size_t limit = 50000);

// What the writers of other programs' formats write.

// How many records of each kind a profile has.
struct ProfileRecords {
  std::string path;
  uint32_t version = 0;  // of the format; 0: BSD
  uint64_t histograms = 0;
  uint64_t arcs = 0;
  uint64_t blocks = 0;
};

// The listings beside the profile itself, as far as they were asked for; only
// JSON has them.
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

// Names of the frames of call paths, as the formats can bear them.

// The frame's name; frames that are no row are named in brackets.
std::string FrameName(const ExportInput& input, uint32_t row);

// `name` without what would end a line or a field: control characters and
// `forbidden` become '?'. A symbol's name may hold any byte but 0.
std::string WithoutBreaks(absl::string_view name, absl::string_view forbidden = "");

// Units (of the profile's dimension) that one sample stands for.
double UnitsPerSample(const ListingInput& listing);

}  // namespace gprofhub::analyzer
