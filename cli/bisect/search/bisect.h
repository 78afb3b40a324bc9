// The bisection itself, independent of how a commit is built and measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/bisect/search/levels.h"
#include "cli/bisect/search/search.h"

namespace gprofhub::cli {

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
