// Execution counts of functions and basic blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/annotations/block_counts.h"
#include "analyzer/listing/input.h"
#include "analyzer/listing/options.h"

namespace gprofhub::analyzer {

struct ExecutionCount {
  uint32_t row = 0;      // the executed function or line, or the one that contains the block
  uint64_t address = 0;  // of the row or the block
  uint64_t count = 0;
};

// The called functions and the executed blocks, by file and line.
std::vector<ExecutionCount> CountExecutions(const ListingInput& input,
                                            const ListingOptions& options,
                                            const BlockCounts& blocks);

// The same as text, one line each.
std::string PrintExecutionCounts(const ListingInput& input, const ListingOptions& options,
                                 const BlockCounts& blocks);

}  // namespace gprofhub::analyzer
