// The request that records the result of a bisection at the server.
#pragma once

#include <optional>

#include "cli/bisect/repository.h"
#include "cli/bisect/result_text.h"
#include "proto/query.pb.h"

namespace gprofhub::cli {

// nullopt unless a single commit is found. `range` has the full hashes of the requested range.
// Texts are truncated to the server's limits.
std::optional<v1::RecordCulpritRequest> CulpritRequest(const BisectReport& report,
                                                       const Range& range);

}  // namespace gprofhub::cli
