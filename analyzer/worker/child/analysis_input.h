// The input of an analysis, and the interface of an analysis in this process or in a child
// (analysis_child.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "store/records/records.h"

namespace gprofhub::analyzer {

// One target of one run.
struct AnalysisInput {
  int64_t run_id = 0;
  std::string target;
  store::ProfileKind profile_kind = store::ProfileKind::kCounted;
  store::TargetData data;
};

// Returns the bytes of a blob that the input names.
using ReadBlob = std::function<absl::StatusOr<std::string>(const store::BlobName& name)>;

// Computes the profile and series of a target. `stopping` is polled; after it returns true the
// result is CANCELLED. ABORTED: the analysis itself crashed or exceeded a limit (analysis_child.h).
// Errors of the data are INVALID_ARGUMENT, OUT_OF_RANGE, DATA_LOSS or INTERNAL; others are those of
// `read`.
using Analyze = std::function<absl::StatusOr<store::AnalysisResult>(
    const AnalysisInput& input, const ReadBlob& read, const std::function<bool()>& stopping)>;

}  // namespace gprofhub::analyzer
