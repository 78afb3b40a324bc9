// The search halves the range that contains the change: of n commits about log2(n) are tested.
//
// Skipped commits cut the range into stretches of untested commits. The middle of the longest is
// taken, because it leaves the fewest commits in the worst case, and is as far as possible from the
// skipped ones. Without skipped commits there is one stretch, and this is bisection. In the end
// only skipped commits may be left: then the answer is a range.
#include "cli/bisect/search/search.h"

namespace gprofhub::cli {

Narrowed Narrow(const std::vector<Tested>& line) {
  Narrowed range = {0, line.size() - 1};
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == Tested::kOld) range.last_old = i;
    if (line[i] != Tested::kNew) continue;
    range.first_new = i;
    break;
  }
  return range;
}

std::optional<size_t> NextToTest(const std::vector<Tested>& line) {
  const Narrowed range = Narrow(line);
  size_t best_begin = 0;
  size_t best_size = 0;
  size_t size = 0;
  for (size_t i = range.last_old + 1; i < range.first_new; ++i) {
    size = line[i] == Tested::kNot ? size + 1 : 0;
    if (size <= best_size) continue;
    best_size = size;
    best_begin = i + 1 - size;
  }
  if (best_size == 0) return std::nullopt;
  return best_begin + best_size / 2;
}

}  // namespace gprofhub::cli
