// Records the data of `gprofhub stats`.
#pragma once

#include <string>

#include "cli/command/command.h"
#include "reporter/gate/gate.h"

namespace gprofhub::cli {

// Records the gate's findings in one of the server's runs. Counting is optional: errors are
// warnings only.
void CountGated(const ServerOptions& server, const std::string& run_id,
                const reporter::GateResult& gate);

}  // namespace gprofhub::cli
