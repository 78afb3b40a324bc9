// The gate's verdict on a run, shared by `gprofhub check` and `gprofhub upload --check`.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "cli/command/command.h"
#include "cli/output/gate.h"
#include "proto/findings.pb.h"
#include "reporter/gate/gate.h"
#include "reporter/policy/policy.h"

namespace gprofhub::cli {

// Judges the report on the run that it names as its head. Reads acknowledgements from the server,
// and records the gate's findings there; without a server it does neither. The errors are the
// server's. The result points into the report.
absl::StatusOr<reporter::GateResult> JudgeRun(const v1::Report& report,
                                              const reporter::Policy& policy,
                                              const std::optional<ServerOptions>& server);

// As "text", "json" or "codequality".
std::string RenderGate(const reporter::GateResult& gate, const std::string& format,
                       const OwnersOfFinding& owners);

// kExitFailure where the gate fails, kExitIncomplete where it passes as far as there was
// something to compare.
int ExitCodeOf(const reporter::GateResult& gate);

}  // namespace gprofhub::cli
