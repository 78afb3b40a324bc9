// The bisection itself, independent of how a commit is built and measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gprofhub::cli {

// Classifies a count as one of two levels.

// Typical counts at the two ends of the range. They differ.
struct Levels {
  double before = 0;
  double after = 0;
};

enum class Level { kOld, kNew };

// A count for people: whole numbers in full.
std::string CountText(double count);

// The level that the count equals, else the nearer one on a logarithmic scale (of count + 1, so
// that 0 has a place on it); at the same distance the old one.
Level NearerLevel(const Levels& levels, double count);

// The level of all of them. FAILED_PRECONDITION if they do not agree. There is at least one.
absl::StatusOr<Level> LevelOf(const Levels& levels, const std::vector<double>& counts);

// Whether one of them differs from another.
bool Varies(const std::vector<double>& counts);

// The medians of the counts at both ends. FAILED_PRECONDITION, with a sentence on the remedy, where
// the ends have the same count, or counts that vary so much that they overlap. There is at least
// one at each end.
absl::StatusOr<Levels> LevelsOf(const std::vector<double>& before,
                                const std::vector<double>& after);

// The next commit to test, and the result so far.

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

// Result of running a test at one commit.
struct Measurement {
  std::vector<double> counts;  // one per run of the test
  std::string skipped;         // the reason for a skip, as a clause; empty: there are counts
};

// Measures a commit with at least that number of runs of the test. An error ends the search: it is
// not the commit's fault.
using Measure =
    std::function<absl::StatusOr<Measurement>(const std::string& commit, uint32_t runs)>;

struct BisectOptions {
  // Runs of a commit where the count varies. 1: without a check for variation.
  uint32_t repeat = 5;
};

struct TestedCommit {
  size_t index = 0;  // in the line
  Tested tested = Tested::kNot;
  Measurement measurement;
};

struct Bisection {
  Levels levels;
  bool varies = false;
  std::vector<TestedCommit> tested;  // oldest first
  Narrowed range;
  // False: `measure` was out of budget (RESOURCE_EXHAUSTED), and the range is that so far.
  bool finished = true;
};

// Finds where the count changed in a line of commits, the oldest (the base) first, at least two.
// The two ends are measured first, twice each, to learn both levels and whether the count repeats.
// If it does, one run judges a commit. Errors: LevelsOf's; FAILED_PRECONDITION where an end cannot
// be measured; else those of `measure`.
absl::StatusOr<Bisection> Bisect(const std::vector<std::string>& line, const Measure& measure,
                                 const BisectOptions& options);

}  // namespace gprofhub::cli
