// -c: the calls in the program's code.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/graph/static_call.h"
#include "cli/gprof/options/options.h"
#include "profile/symbols.h"

namespace gprofhub::cli {

// The direct calls between functions of `symbols`, which belong to options.image. The status'
// message is the line to print.
absl::StatusOr<std::vector<analyzer::StaticCall>> ReadStaticCalls(
    const GprofOptions& options, const profile::SymbolTable& symbols);

}  // namespace gprofhub::cli
