// Commands in the comments of a pull request: acknowledgements and rerun requests.
#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
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
// A command that cannot be stored is ignored. Errors: the forge's and the store's.
//
// A comment requests at most one rerun: of `run`, whose commit is the head when the comment is
// first read.
absl::Status TakeCommentCommands(const store::GateRecords& gate, Forge& forge,
                                 const PullRequest& pull_request, const store::RunRecord& run,
                                 absl::Time now);

}  // namespace gprofhub::reporter
