// Prints the gate's verdict for `gprofhub check`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proto/findings.pb.h"
#include "reporter/gate/gate.h"

namespace gprofhub::cli {

// The owners of a finding; null: unknown.
using OwnersOfFinding = std::function<std::vector<std::string>(const v1::Finding&)>;

// A verdict line, then a few lines per gated cause. Printable.
std::string RenderGateText(const reporter::GateResult& gate,
                           const OwnersOfFinding& owners = nullptr);

// {"schema": 1, "conclusion": "failure", "gated": […]}, described in
// docs/pull-requests.md. Pure ASCII.
std::string RenderGateJson(const reporter::GateResult& gate,
                           const OwnersOfFinding& owners = nullptr);

}  // namespace gprofhub::cli
