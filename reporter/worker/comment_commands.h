// Commands in the comments of a pull request: acknowledgements and rerun requests.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/findings.pb.h"
#include "reporter/forge/forge.h"
#include "store/gate_records.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// Stores the commands (gate/commands.h) of authors with write permission for the target branch, as
// reported by the forge. Other authors' commands and the reporter's own comments are ignored. The
// commands apply to this pull request.
//
// A command is identified by its comment, action and function, and stored once, however often it is
// read. Editing or deleting the comment later does not revoke it. Commands added by an edit are
// stored, too.
//
// A command that cannot be stored is ignored. Commands that the forge's refusals keep from being
// read or verified are added to `refusals`. Errors: the store's, and the forge's temporary ones.
//
// A comment requests at most one rerun: of `run`, whose commit is the head when the comment is
// first read.
absl::Status TakeCommentCommands(const store::GateRecords& gate, Forge& forge,
                                 const PullRequest& pull_request, const store::RunRecord& run,
                                 absl::Time now, Refusals& refusals);

// Handles "/gprofhub rerun".

struct OpenRerun {
  // The newest unanswered request for the head's commit.
  std::optional<store::RerunRequestRecord> request;
  // The CI job is still running, or the forge was unreachable: start it later.
  bool to_start = false;
};

// Finds the open request. If the report has tests to rerun and `job` is not empty, restarts the CI
// job of that name that sent `run`, once per request. If it cannot be restarted at all, or within
// `patience`, the request stores the reason. Errors are the store's.
//
// A process that dies between restarting the job and storing that restarts it again; forges do not
// restart a running job.
absl::StatusOr<OpenRerun> SettleRerunRequest(const store::GateRecords& gate, Forge& forge,
                                             const PullRequest& pull_request,
                                             const store::RunRecord& run, const v1::Report& report,
                                             const std::string& job, absl::Time now,
                                             absl::Duration patience);

}  // namespace gprofhub::reporter
