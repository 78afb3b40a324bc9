#include "analyzer/functions/line_finder.h"

#include <algorithm>

namespace gprofhub::analyzer {

const profile::LineRow* LineFinder::Find(uint64_t address) {
  const size_t size = lines_.size();
  size_t low = at_ < size && lines_[at_].address <= address ? at_ : 0;
  size_t step = 1;
  while (size - low > step && lines_[low + step].address <= address) {
    low += step;
    step *= 2;
  }
  const auto begin = lines_.begin();
  const auto after =
      std::upper_bound(begin + static_cast<ptrdiff_t>(low),
                       begin + static_cast<ptrdiff_t>(std::min(size, low + step)), address,
                       [](uint64_t pc, const profile::LineRow& row) { return pc < row.address; });
  if (after == begin) return nullptr;
  at_ = static_cast<size_t>(after - begin) - 1;
  return lines_[at_].line == 0 ? nullptr : &lines_[at_];
}

}  // namespace gprofhub::analyzer
