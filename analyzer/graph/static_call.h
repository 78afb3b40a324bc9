// A call that machine code makes.
#pragma once

#include <cstdint>

namespace gprofhub::analyzer {

// In the graph, such a call has a count of 0 where none was recorded.
struct StaticCall {
  uint64_t from_pc = 0;
  uint64_t to_pc = 0;
};

}  // namespace gprofhub::analyzer
