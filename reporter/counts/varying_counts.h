// Counts that vary from run to run: the typical count, and the spread of single runs about it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/types/span.h"

namespace gprofhub::reporter {

// log(1 + count). Differences are ratios, and 0 has a value.
double LogCount(double count);
double FromLogCount(double log_count);

// Joint fit of two sides' runs. All in LogCount's scale.
struct VaryingCounts {
  double before = 0;   // typical
  double after = 0;    // typical
  double spread = 0;   // of a single run about the typical count
  double freedom = 0;  // degrees of freedom of the spread
  // Of (after - before).
  double standard_error = 0;
};

// Fits the runs of both sides; neither may be empty. `usual_spread`: of varying counts in the same
// target.
VaryingCounts FitVaryingCounts(absl::Span<const double> before, absl::Span<const double> after,
                               double usual_spread);

// Median absolute deviation of the runs of one count, both sides pooled; nothing if no side has two
// runs.
std::optional<double> MedianSpread(absl::Span<const double> before, absl::Span<const double> after);

// The spread to assume for a count with few runs: that of most varying counts of the target, or a
// default if there are few.
double UsualSpread(std::vector<double> spreads);

// Degrees of freedom of a test of the difference between two typical counts with these numbers of
// runs: heavy tails for few runs, light ones for many.
double FreedomOfTails(size_t runs_before, size_t runs_after);

}  // namespace gprofhub::reporter
