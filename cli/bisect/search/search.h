// The next commit to test, and the result so far.
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
  kSkipped,  // cannot be tested: it does not build, for example
};

// The change was introduced after `last_old` and at the latest with `first_new`, as indices of the
// line.
struct Narrowed {
  size_t last_old = 0;
  size_t first_new = 0;

  // Whether one commit is left. Else, once there is nothing more to look at, all in between were
  // skipped.
  bool IsOne() const { return first_new == last_old + 1; }
};

// `line` is a line of commits, the oldest first. Its first is kOld and its last kNew.
Narrowed Narrow(const std::vector<Tested>& line);

// The commit to test next; nullopt: the search is complete. It is in the middle of the longest
// stretch of untested commits between the two. So it keeps away from skipped commits: neighbours of
// a commit that does not build often do not build either.
std::optional<size_t> NextToTest(const std::vector<Tested>& line);

}  // namespace gprofhub::cli
