// What a child that analyses may do: compute, within its memory, and talk to the socket that it was
// given. No file, no network, no other process.
//
// Memory, descriptors and core files are limited by setrlimit(2). System calls are limited by a
// seccomp filter (libseccomp), where the kernel has that. The server limits its time
// (analysis_child.h). Under a sanitizer, which needs more, neither memory nor calls are limited.
#pragma once

#include <cstdint>

#include "absl/status/status.h"

namespace gprofhub::analyzer {

// The code with which a process ends that asks for more memory than it may have.
inline constexpr int kExitNoMemory = 80;

// Limits this process for ever. It must have no thread yet, and no descriptor but `socket` and
// those of stdin, stdout and stderr. `memory` is in bytes of address space, beyond what is mapped
// now. UNAVAILABLE, saying why, if there is no seccomp: the other limits hold all the same.
absl::Status EnterLimits(int socket, uint64_t memory);

}  // namespace gprofhub::analyzer
