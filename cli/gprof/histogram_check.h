// Whether the histograms of several profiles can be added up.
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

// What a histogram says of its bins.
struct HistogramHead {
  std::string path;  // of the profile
  uint64_t low_pc = 0;
  uint64_t high_pc = 0;
  uint64_t bins = 0;
  uint32_t rate = 0;
  std::string dimension;
  char abbreviation = 's';
  bool rate_is_assumed = false;  // so that any other will do
  bool is_bsd = false;           // of a profile that is compared with the first alone
};

using HistogramHeads = std::vector<HistogramHead>;

HistogramHeads HeadsOf(const profile::RawProfile& profile, const std::string& path);

// InvalidArgument where a profile's histograms cannot be added to those of the profiles
// before it, with GNU gprof's words, each line of which begins with `program`; of
// rates, which GNU gprof does not look at, with ours. Looks at profiles up to the
// first without heads, which could not be read. `checked`: how many profiles were
// found to go together.
absl::Status CheckHistograms(absl::Span<const std::optional<HistogramHeads>> profiles,
                             const std::string& program, size_t& checked);

}  // namespace gprofhub::cli
