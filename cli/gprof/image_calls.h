// -c: the calls that the program's code holds.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/listing_input.h"
#include "cli/gprof/options.h"
#include "profile/symbols.h"

namespace gprofhub {

// The direct calls between functions of `symbols`, which options.image has. The
// status' message is the line to print.
absl::StatusOr<std::vector<StaticCall>> ReadStaticCalls(const GprofOptions& options,
                                                        const SymbolTable& symbols);

}  // namespace gprofhub
