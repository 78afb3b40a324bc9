// The gate's verdict on a run, shared by `gprofhub check` and `gprofhub upload --check`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ci/upload/upload.h"
#include "cli/command/command.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"
#include "reporter/gate/gate.h"
#include "reporter/gate/policy.h"

namespace gprofhub::cli {

// Waits until the server has analysed the uploaded runs.

// Polling interval of commands that wait for the server.
inline constexpr absl::Duration kPollInterval = absl::Milliseconds(500);

// Polls the runs until none of their targets is pending, with the progress on stderr.
// DEADLINE_EXCEEDED after the timeout; else the errors of `list`.
absl::StatusOr<v1::ListRunsResponse> AwaitAnalysis(
    const std::function<absl::StatusOr<v1::ListRunsResponse>()>& list, uint32_t seconds);

// Targets of the runs whose analysis failed.
uint32_t FailedTargets(const v1::ListRunsResponse& runs);

// Prints the gate's verdict for `gprofhub check`.

// The owners of a finding; null: unknown.
using OwnersOfFinding = std::function<std::vector<std::string>(const v1::Finding&)>;

// A verdict line, then a few lines per gated cause. Printable.
std::string RenderGateText(const reporter::GateResult& gate,
                           const OwnersOfFinding& owners = nullptr);

// {"schema": 1, "conclusion": "failure", "gated": […]}, described in
// docs/pull-requests.md. Pure ASCII.
std::string RenderGateJson(const reporter::GateResult& gate,
                           const OwnersOfFinding& owners = nullptr);

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

// Summary of an upload, as text and as JSON.

// A few sentences; `commit` is the run's. Printable.
std::string UploadSummaryText(const ci::UploadSummary& summary, const std::string& commit,
                              bool dry_run);

// One JSON object and a newline: dry_run, commit, run_ids, executions, already_present, cached,
// without_profiles, profiles, images, bytes_sent, bytes_total, skipped, error (absent if the upload
// completed).
std::string UploadSummaryJson(const ci::UploadSummary& summary, const std::string& commit,
                              bool dry_run);

}  // namespace gprofhub::cli
