// Matches an arc's call sites of base and head.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

struct CallSite {
  absl::string_view file;
  uint32_t line = 0;    // 0: unknown
  uint64_t offset = 0;  // in the caller's code
  uint64_t count = 0;   // over all of the side's executions
};

// Both lists are in the caller's order. A site of one side only is a pair with a zero line and a
// zero count on the other side. The caller's beginning moved down by `caller_shift` lines.
std::vector<CallSitePair> PairCallSites(const std::vector<CallSite>& before,
                                        uint64_t repetitions_before,
                                        const std::vector<CallSite>& after,
                                        uint64_t repetitions_after, int64_t caller_shift);

}  // namespace gprofhub::reporter
