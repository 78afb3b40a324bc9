// How often each function, and each basic block, was executed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/annotations/block_counts.h"
#include "analyzer/listing/input.h"
#include "analyzer/listing/options.h"

namespace gprofhub::analyzer {

struct ExecutionCount {
  uint32_t row = 0;      // the function, or line, that was executed, or in which a block was
  uint64_t address = 0;  // of the row or the block
  uint64_t count = 0;
};

// The functions that were called and the blocks that were executed, by file and line.
std::vector<ExecutionCount> CountExecutions(const ListingInput& input,
                                            const ListingOptions& options,
                                            const BlockCounts& blocks);

// The same as text, a line for each.
std::string PrintExecutionCounts(const ListingInput& input, const ListingOptions& options,
                                 const BlockCounts& blocks);

}  // namespace gprofhub::analyzer
