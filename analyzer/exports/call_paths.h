// A profile as a tree of call paths, the input of flame graphs. Paths are measured if the stacks of
// samples were recorded, else unfolded from the call graph.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/listing/input.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// Frames without a row.
inline constexpr uint32_t kElsewhereFrame = UINT32_MAX;       // code of another module
inline constexpr uint32_t kDeeperFrame = UINT32_MAX - 1;      // calls that were not unfolded
inline constexpr uint32_t kUnreadableFrame = UINT32_MAX - 2;  // outer frames that could not be read

struct PathNode {
  uint32_t row = 0;     // or one of the frames above
  int64_t parent = -1;  // index, less than the node's own; -1: outermost
  double samples = 0;   // self samples of this path
};

struct CallPaths {
  std::vector<PathNode> nodes;
  bool measured = false;
};

// `limit` bounds the number of unfolded nodes. Measured nodes are not limited.
CallPaths FindCallPaths(const ListingInput& listing, const profile::RawProfile& profile,
                        size_t limit = 50000);

}  // namespace gprofhub::analyzer
