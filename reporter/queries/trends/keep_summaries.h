// Summarises days (store/records/summaries.h), for trends of years.
//
// A span is read target by target, a sixteenth of its functions at a time, as its runs are in a
// trend. It is worth it from some hundred runs on: what has fewer is read as fast by itself.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/reading.h"
#include "store/upkeep/summaries/summaries.h"

namespace gprofhub::reporter {

struct SummaryOptions {
  std::function<absl::Time()> now;
  uint32_t least_runs = 256;
  // Is called between the steps: it may wait for a while. An error ends the work.
  std::function<absl::Status()> pause = [] { return absl::OkStatus(); };
};

// Summarises all spans that are due. Returns how many are read from now on: those whose runs
// changed meanwhile are left for the next time. What was done before an error stays done. One
// process at a time should do so.
absl::StatusOr<uint64_t> KeepSummaries(const store::Reading& reading,
                                       const store::Summaries& summaries,
                                       const SummaryOptions& options);

}  // namespace gprofhub::reporter
