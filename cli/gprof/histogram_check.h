// Checks whether the histograms of several profiles can be summed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "profile/raw_profile.h"

namespace gprofhub::cli {

// The header of a histogram, which describes its bins.
struct HistogramHead {
  std::string path;  // of the profile
  uint64_t low_pc = 0;
  uint64_t high_pc = 0;
  uint64_t bins = 0;
  uint32_t rate = 0;
  std::string dimension;
  char abbreviation = 's';
  bool rate_is_assumed = false;  // compatible with any other rate
  bool is_bsd = false;           // of a profile that is only compared with the first
};

using HistogramHeads = std::vector<HistogramHead>;

HistogramHeads HeadsOf(const profile::RawProfile& profile, const std::string& path);

// InvalidArgument if a profile's histograms cannot be added to those of the previous profiles. The
// message is GNU gprof's, each line beginning with `program`; for rates, which GNU gprof does not
// compare, it is gprofhub's. Checks profiles up to the first one without heads, which could not be
// read. `checked`: the number of profiles that are compatible.
absl::Status CheckHistograms(absl::Span<const std::optional<HistogramHeads>> profiles,
                             const std::string& program, size_t& checked);

}  // namespace gprofhub::cli
