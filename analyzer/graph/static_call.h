// A call that machine code makes.
#pragma once

#include <cstdint>

namespace gprofhub::analyzer {

// Its count in the graph is 0 unless calls were recorded.
struct StaticCall {
  uint64_t from_pc = 0;
  uint64_t to_pc = 0;
};

}  // namespace gprofhub::analyzer
