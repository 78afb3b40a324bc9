// Counters for blocks: the smallest number that determines every block's count.
#pragma once

#include <string>
#include <string_view>

namespace gprofhub {

// Returns `text`, a compiler's assembly, with counters and their tables
// (runtime/counters/counters.h), but without the constructor that registers them. *counted: whether
// there are any.
std::string CountBlocks(std::string_view text, bool* counted);

}  // namespace gprofhub
