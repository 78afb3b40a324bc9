#include "cli/output/judge_run.h"

#include <vector>

#include "absl/time/clock.h"
#include "cli/client/query_client.h"
#include "cli/output/count_gated.h"
#include "reporter/forge/forge.h"
#include "reporter/posting/code_quality.h"
#include "reporter/queries/gate.h"

namespace gprofhub::cli {
namespace {

// The people's acknowledgements of a run, and its pull request.
struct Said {
  std::vector<store::AcknowledgementRecord> acknowledgements;
  std::string pull_request;
};

absl::StatusOr<Said> AskServer(const ServerOptions& server, const std::string& run_id) {
  QueryClient client(server);
  Said said;
  absl::StatusOr<v1::ListAcknowledgementsResponse> list = client.ListAcknowledgements();
  if (!list.ok()) return list.status();
  for (const v1::Acknowledgement& acknowledgement : list->acknowledgements()) {
    said.acknowledgements.push_back(reporter::ToRecord(acknowledgement));
  }
  v1::GetRunRequest request;
  request.set_run(run_id);
  absl::StatusOr<v1::Run> run = client.GetRun(request);
  if (!run.ok()) return run.status();
  if (const auto number = reporter::ParseNumber(run->info().pull_request()); number.ok()) {
    said.pull_request = *number;
  }
  return said;
}

}  // namespace

absl::StatusOr<reporter::GateResult> JudgeRun(const v1::Report& report,
                                              const reporter::Policy& policy,
                                              const std::optional<ServerOptions>& server) {
  Said said;
  if (server.has_value()) {
    absl::StatusOr<Said> answer = AskServer(*server, report.compared().head().run_id());
    if (!answer.ok()) return answer.status();
    said = *std::move(answer);
  }
  reporter::GateResult gate =
      reporter::JudgeGate(report, policy, said.acknowledgements, said.pull_request, absl::Now());
  if (server.has_value()) CountGated(*server, report.compared().head().run_id(), gate);
  return gate;
}

std::string RenderGate(const reporter::GateResult& gate, const std::string& format,
                       const OwnersOfFinding& owners) {
  if (format == "json") return RenderGateJson(gate, owners);
  if (format == "codequality") return reporter::RenderCodeQuality(gate);
  return RenderGateText(gate, owners);
}

int ExitCodeOf(const reporter::GateResult& gate) {
  switch (gate.conclusion) {
    case reporter::GateResult::Conclusion::kPass:
    case reporter::GateResult::Conclusion::kNothingToCompare:
      return kExitOk;
    case reporter::GateResult::Conclusion::kFail:
      return kExitFailure;
    case reporter::GateResult::Conclusion::kIncomplete:
      return kExitIncomplete;
  }
  return kExitOk;
}

}  // namespace gprofhub::cli
