// Summarises days (store/records/summaries.h), for trends over years.
//
// A span is read target by target, a sixteenth of its functions at a time, like runs in a trend.
// Summaries pay from some hundred runs on: spans with fewer are fast to read directly.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/query.pb.h"
#include "reporter/queries/runs.h"
#include "store/reading.h"
#include "store/summaries.h"

namespace gprofhub::reporter {

struct SummaryOptions {
  std::function<absl::Time()> now;
  uint32_t least_runs = 256;
  // Called between the steps; may block. An error ends the work.
  std::function<absl::Status()> pause = [] { return absl::OkStatus(); };
};

// Summarises all due spans. Returns the number of new summaries: spans whose runs changed
// concurrently are left for the next time. Work done before an error is kept. Only one process at a
// time should call this.
absl::StatusOr<uint64_t> KeepSummaries(const store::Reading& reading,
                                       const store::Summaries& summaries,
                                       const SummaryOptions& options);

// Query service: one function's counts and times from run to run.

// INVALID_ARGUMENT for an ambiguous name or a limit that is too large, NOT_FOUND for an unknown
// function. `memory`, if not null, caches profiles.
absl::StatusOr<v1::GetTrendResponse> GetTrend(const store::Reading& reading,
                                              const BlobReader& blobs,
                                              const v1::GetTrendRequest& request,
                                              QueryMemory* memory = nullptr);

}  // namespace gprofhub::reporter
