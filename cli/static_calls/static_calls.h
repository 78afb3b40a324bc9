// `gprofhub gprof -c`: the direct calls in a program's machine code, for the static call graph. Not
// in cli/gprof, whose program starts in milliseconds and links no disassembler.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/graph/call_graph.h"
#include "cli/gprof/options.h"
#include "profile/elf/file.h"
#include "profile/raw_profile.h"

namespace gprofhub::cli {

// The direct calls between functions of `symbols`, which belong to options.image. The status'
// message is the line to print.
absl::StatusOr<std::vector<analyzer::StaticCall>> ReadStaticCalls(
    const GprofOptions& options, const profile::SymbolTable& symbols);

// The calls in the functions of `symbols` that go to one of the addresses in
// `entries`, which ascend; in the order of the code, one for each instruction.
// Linear in the code. Unimplemented: not x86_64, i386 or aarch64.
absl::StatusOr<std::vector<analyzer::StaticCall>> FindStaticCalls(
    const profile::SymbolTable& symbols, const std::vector<profile::CodeSection>& code,
    const std::vector<uint64_t>& entries);

}  // namespace gprofhub::cli
