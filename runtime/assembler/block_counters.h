// Counters for blocks: as few as give every block's count.
#pragma once

#include <string>
#include <string_view>

namespace gprofhub {

// `text`, a compiler's assembly, with counters and their tables
// (runtime/counters/counters.h), but without the constructor that announces them.
// *counted: whether there is any.
std::string CountBlocks(std::string_view text, bool* counted);

}  // namespace gprofhub
