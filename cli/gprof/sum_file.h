// -s: the profiles' sum, written to gmon.sum.
#pragma once

#include "absl/status/status.h"
#include "analyzer/listing/input.h"
#include "cli/gprof/options/options.h"
#include "profile/raw_profile.h"

namespace gprofhub::cli {

// Writes gmon.sum into the working directory: the histograms of `profile`, the
// calls of `input`, which is line by line, from the beginning of one row to that
// of another, and the blocks within rows, by address. Counts that exceed a field are split over
// several records. If a BSD format was requested, the file has that format: 4.4BSD's if that was
// requested, or if the older one would lose the rate. The status' message is the line to print.
// `profile` is unchanged on return.
absl::Status WriteSum(const GprofOptions& options, const profile::SymbolTable& symbols,
                      const analyzer::ListingInput& input, profile::RawProfile& profile);

}  // namespace gprofhub::cli
