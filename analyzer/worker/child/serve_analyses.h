// Main loop of an analysis child.
#pragma once

#include <cstdint>

#include "analyzer/worker/child/analysis_input.h"

namespace gprofhub::analyzer {

// File descriptor of a child's socket.
inline constexpr int kChildSocket = 3;

// Applies the limits (limits.h), reports kReady, and does jobs with `analyze`, one after the other,
// until the server closes the socket. Then the process exits. If the process `parent` has exited or
// exits later, so does this process. Must be called before threads exist.
[[noreturn]] void ServeAnalyses(int parent, uint64_t memory, const Analyze& analyze);

}  // namespace gprofhub::analyzer
