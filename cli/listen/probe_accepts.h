// Whether connections are still accepted.
#pragma once

#include "absl/status/status.h"
#include "cli/listen/connection_gate.h"
#include "cli/listen/listen_address.h"

namespace gprofhub::cli {

// Connects to the address and closes the connection as soon as the gate has accepted it, whether it
// admits it or not. DEADLINE_EXCEEDED if it does not within a few seconds. OK where this process
// has no descriptor for the question: then the gate pauses, and goes on by itself.
absl::Status ProbeAccepts(const ListenAddress& address, const ConnectionCounts& gate);

}  // namespace gprofhub::cli
