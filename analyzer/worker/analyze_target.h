// One analysis: everything a run's target left, computed.
#pragma once

#include <functional>

#include "absl/status/statusor.h"
#include "store/blobs.h"
#include "store/reading.h"

namespace gprofhub::analyzer {

// Reads the job's profiles and symbol bundles from the store, sums them image by
// image and computes costs and series. The profiles are a sum: executions,
// shards and processes in any order give the same bytes. Sampled profiles give no
// series: trends and changes are of counts that are exact.
//
// `stopping` is asked between steps; once it says true the answer is CANCELLED.
// Errors of the data (unreadable, unmergeable) are INVALID_ARGUMENT, OUT_OF_RANGE
// or DATA_LOSS and name the process or image; others are the store's.
absl::StatusOr<store::AnalysisResult> AnalyzeTarget(const store::Reading& reading,
                                                    const store::Blobs& blobs,
                                                    const store::Job& job,
                                                    const std::function<bool()>& stopping);

}  // namespace gprofhub::analyzer
