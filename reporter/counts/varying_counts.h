// Counts that vary from run to run: how many there typically are, and by how much single runs stray
// from that.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/types/span.h"

namespace gprofhub::reporter {

// log(1 + count). Differences of it are ratios, and 0 has a value.
double LogCount(double count);
double FromLogCount(double log_count);

// What two sides' runs tell together. All in LogCount's scale.
struct VaryingCounts {
  double before = 0;   // typical
  double after = 0;    // typical
  double spread = 0;   // of a single run about the typical count
  double freedom = 0;  // degrees of freedom with which the spread is known
  // Of (after - before).
  double standard_error = 0;
};

// Fits the runs of both sides; neither may be empty. `usual_spread`: of counts that vary in the
// same target.
VaryingCounts FitVaryingCounts(absl::Span<const double> before, absl::Span<const double> after,
                               double usual_spread);

// How much the runs of one count stray, of both sides together, by the median; nothing where no
// side has two runs.
std::optional<double> MedianSpread(absl::Span<const double> before, absl::Span<const double> after);

// The spread to assume of a count of which few runs are known: that of most counts that vary in its
// target, or a guess where few do.
double UsualSpread(std::vector<double> spreads);

// Degrees of freedom of a test of the difference between the typical counts of so many runs: a
// heavy tail for few runs, a light one for many.
double FreedomOfTails(size_t runs_before, size_t runs_after);

}  // namespace gprofhub::reporter
