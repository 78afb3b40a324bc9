// Classifies a count as one of two levels.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gprofhub::cli {

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

}  // namespace gprofhub::cli
