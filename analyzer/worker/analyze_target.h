// One analysis: the computed profile and series of a run's target.
#pragma once

#include <functional>

#include "absl/status/statusor.h"
#include "analyzer/worker/child/analysis_input.h"

namespace gprofhub::analyzer {

// Reads the profiles and symbol bundles that `input` names, sums them image by image and computes
// costs and series, as specified by Analyze. The sum does not depend on order: executions, shards
// and processes in any order give the same bytes. Sampled profiles give no series, because trends
// and changes need exact counts.
//
// Errors of the data (unreadable, unmergeable) name the process or image.
absl::StatusOr<store::AnalysisResult> AnalyzeTarget(const AnalysisInput& input,
                                                    const ReadBlob& read,
                                                    const std::function<bool()>& stopping);

}  // namespace gprofhub::analyzer
