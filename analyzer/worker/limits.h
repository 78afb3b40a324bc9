// Sandbox of an analysis child: it may compute within its memory limit, and use its socket. It has
// no access to files, the network or other processes.
//
// Memory, descriptors and core files are limited by setrlimit(2). System calls are limited by a
// seccomp filter (libseccomp), if the kernel supports it. The server limits its time
// (analysis_child.h). Under a sanitizer, which needs more, neither memory nor system calls are
// limited.
#pragma once

#include <cstdint>

#include "absl/status/status.h"

namespace gprofhub::analyzer {

// Exit code of a process that exceeds its memory limit.
inline constexpr int kExitNoMemory = 80;

// Limits this process permanently. The process must not have other threads, nor descriptors except
// `socket`, stdin, stdout and stderr. `memory` is in bytes of address space in addition to the
// present mappings. UNAVAILABLE, with the reason, without seccomp: the other limits apply
// nevertheless.
absl::Status EnterLimits(int socket, uint64_t memory);

}  // namespace gprofhub::analyzer
