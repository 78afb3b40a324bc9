// Direct calls found in machine code, for gprof's static call graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/graph/static_call.h"
#include "profile/elf/code.h"
#include "profile/symbols.h"

namespace gprofhub::cli {

// The calls in the functions of `symbols` that go to one of the addresses in
// `entries`, which ascend; in the order of the code, one for each instruction.
// Linear in the code. Unimplemented: not x86_64, i386 or aarch64.
absl::StatusOr<std::vector<analyzer::StaticCall>> FindStaticCalls(
    const profile::SymbolTable& symbols, const std::vector<profile::CodeSection>& code,
    const std::vector<uint64_t>& entries);

}  // namespace gprofhub::cli
