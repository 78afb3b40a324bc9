// Basic-block counts by row.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/listing/input.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// The blocks in each row's code, in the profile's order; rows without blocks are absent.
using BlockCounts = absl::flat_hash_map<uint32_t, std::vector<profile::BasicBlock>>;

// Meaningful for line-by-line listings only; empty for others.
BlockCounts AssignBlocks(const ListingInput& input, const std::vector<profile::BasicBlock>& blocks);

}  // namespace gprofhub::analyzer
