// What the server is told of a search.
#pragma once

#include <optional>

#include "cli/bisect/repository.h"
#include "cli/bisect/result_text.h"
#include "proto/query.pb.h"

namespace gprofhub::cli {

// Nothing unless one commit is found. `range` has the full hashes of what was asked for. Texts are
// cut to what the server takes.
std::optional<v1::RecordCulpritRequest> CulpritRequest(const BisectReport& report,
                                                       const Range& range);

}  // namespace gprofhub::cli
