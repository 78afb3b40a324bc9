// How `gprofhub check` says what the gate said.
#pragma once

#include <string>

#include "reporter/gate/gate.h"

namespace gprofhub::cli {

// A verdict line, then a line per gated finding. Printable.
std::string RenderGateText(const reporter::GateResult& gate);

// {"schema": 1, "conclusion": "failure", "gated": […]}, described in
// docs/pull-requests.md. Pure ASCII.
std::string RenderGateJson(const reporter::GateResult& gate);

}  // namespace gprofhub::cli
