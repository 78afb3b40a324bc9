// What becomes of "/gprofhub rerun".
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/findings.pb.h"
#include "reporter/forge/forge.h"
#include "store/gate_records.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

struct OpenRerun {
  // The newest request for the head's commit that no run has answered.
  std::optional<store::RerunRequestRecord> request;
  // The CI job has not ended, or the forge could not be asked: it is to be started later.
  bool to_start = false;
};

// Finds the open request. If the report has something to run again and `job` is not empty, starts
// the CI job of that name that sent `run`, once for each request. If it cannot be started within
// `patience`, or at all, the request says why. Errors are the store's.
//
// A process that ends between the start and its note starts the job again. The forges start no job
// that is running.
absl::StatusOr<OpenRerun> SettleRerunRequest(const store::GateRecords& gate, Forge& forge,
                                             const PullRequest& pull_request,
                                             const store::RunRecord& run, const v1::Report& report,
                                             const std::string& job, absl::Time now,
                                             absl::Duration patience);

}  // namespace gprofhub::reporter
