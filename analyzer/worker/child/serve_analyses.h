// The life of a child that analyses.
#pragma once

#include <cstdint>

#include "analyzer/worker/child/analysis_input.h"

namespace gprofhub::analyzer {

// The descriptor that a child's socket has.
inline constexpr int kChildSocket = 3;

// Enters the limits (limits.h), says that it is ready, and does jobs with `analyze`, one after the
// other, until the server closes the socket. Then the process ends. If `parent`, a process's id, is
// no more, or ends, so does this process. To be called before threads exist.
[[noreturn]] void ServeAnalyses(int parent, uint64_t memory, const Analyze& analyze);

}  // namespace gprofhub::analyzer
