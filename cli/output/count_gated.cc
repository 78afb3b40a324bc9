#include "cli/output/count_gated.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/client/query_client.h"

namespace gprofhub::cli {

void CountGated(const ServerOptions& server, const std::string& run_id,
                const reporter::GateResult& gate) {
  v1::RecordGatedRequest request;
  request.set_run(run_id);
  for (const reporter::GatedFinding& gated : gate.gated) {
    if (gated.finding->function().empty()) continue;
    v1::RecordGatedRequest::Gated& one = *request.add_gated();
    one.set_rule(gated.rule);
    one.set_target(gated.finding->target());
    one.set_function(gated.finding->function());
    one.set_function_display(gated.finding->function_display());
  }
  if (request.gated_size() == 0) return;
  const absl::Status status = QueryClient(server).RecordGated(request);
  if (!status.ok()) Warn(absl::StrCat("`gprofhub stats` will not show it: ", status.message()));
}

}  // namespace gprofhub::cli
