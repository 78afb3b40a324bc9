// How `gprofhub check` says what the gate said.
#pragma once

#include <string>

#include "reporter/gate/gate.h"

namespace gprofhub {

// A verdict line, then a line per gated finding. Printable.
std::string RenderGateText(const GateResult& gate);

// {"schema": 1, "conclusion": "failure", "gated": […]}, described in
// docs/pull-requests.md. Pure ASCII.
std::string RenderGateJson(const GateResult& gate);

}  // namespace gprofhub
