#include "analyzer/annotations/block_counts.h"

namespace gprofhub::analyzer {

BlockCounts AssignBlocks(const ListingInput& input,
                         const std::vector<profile::BasicBlock>& blocks) {
  BlockCounts counts;
  if (!input.rows.by_line()) return counts;
  for (const profile::BasicBlock& block : blocks) {
    const uint32_t row = FindByAddress(input.rows.table(), block.pc);
    if (row != kNoFunction) counts[row].push_back(block);
  }
  return counts;
}

}  // namespace gprofhub::analyzer
