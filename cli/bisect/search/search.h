// Which commit to look at next, and what is known by now.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace gprofhub::cli {

// Of one commit of a line.
enum class Tested {
  kNot,
  kOld,      // it has the old count
  kNew,      // it has the new count
  kSkipped,  // it cannot be told: it does not build, for example
};

// The change came after `last_old` and at the latest with `first_new`, as indices of the line.
struct Narrowed {
  size_t last_old = 0;
  size_t first_new = 0;

  // Whether one commit is left. Else, once there is nothing more to look at, all in between were
  // skipped.
  bool IsOne() const { return first_new == last_old + 1; }
};

// `line` is a line of commits, the oldest first. Its first is kOld and its last kNew.
Narrowed Narrow(const std::vector<Tested>& line);

// The commit to test next; none: nothing is left to learn. It is in the middle of the longest
// stretch of commits between the two that were not looked at. So it keeps away from those
// that were skipped: what lies beside a commit that does not build often does not build either.
std::optional<size_t> NextToTest(const std::vector<Tested>& line);

}  // namespace gprofhub::cli
