// How `gprofhub check` says what the gate said.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proto/findings.pb.h"
#include "reporter/gate/gate.h"

namespace gprofhub::cli {

// Who is asked about a finding; null: nobody is known.
using OwnersOfFinding = std::function<std::vector<std::string>(const v1::Finding&)>;

// A verdict line, then a few lines per gated cause. Printable.
std::string RenderGateText(const reporter::GateResult& gate,
                           const OwnersOfFinding& owners = nullptr);

// {"schema": 1, "conclusion": "failure", "gated": […]}, described in
// docs/pull-requests.md. Pure ASCII.
std::string RenderGateJson(const reporter::GateResult& gate,
                           const OwnersOfFinding& owners = nullptr);

}  // namespace gprofhub::cli
