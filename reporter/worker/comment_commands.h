// What people wrote into the comments of a pull request: acknowledgements, and that the tests are
// to be run again.
#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "reporter/forge/forge.h"
#include "store/gate_records.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// Keeps the commands (gate/commands.h) of those who may write to the target branch. The forge
// says who may. Of others nothing is kept, nor of the reporter's own comments. The commands hold
// for this pull request.
//
// A command is its comment, its action and its function. It is kept once, however often it is read.
// Editing or deleting the comment later does not take it back. What an edit adds is kept, too.
//
// A command that cannot be stored is passed over. Errors: the forge's and the store's.
//
// A comment asks for one rerun at most: of `run`, whose commit is the head when the comment is read
// first.
absl::Status TakeCommentCommands(const store::GateRecords& gate, Forge& forge,
                                 const PullRequest& pull_request, const store::RunRecord& run,
                                 absl::Time now);

}  // namespace gprofhub::reporter
