// What `gprofhub stats` is made of.
#pragma once

#include <string>

#include "cli/command/command.h"
#include "reporter/gate/gate.h"

namespace gprofhub::cli {

// Tells the server what the gate caught in one of its runs. A gate that is not counted is as good:
// errors are warnings only.
void CountGated(const ServerOptions& server, const std::string& run_id,
                const reporter::GateResult& gate);

}  // namespace gprofhub::cli
