// Whether connections are still accepted.
#pragma once

#include "absl/status/status.h"
#include "cli/listen/connection_gate.h"
#include "cli/listen/listen_address.h"

namespace gprofhub::cli {

// Connects to the address and closes the connection as soon as the gate has accepted it, whether it
// admits it or not. DEADLINE_EXCEEDED if it does not within a few seconds. OK if this process has
// no free descriptor for the probe: then the gate pauses, and resumes automatically.
absl::Status ProbeAccepts(const ListenAddress& address, const ConnectionCounts& gate);

}  // namespace gprofhub::cli
