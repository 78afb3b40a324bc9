// Acknowledgements that people wrote into the comments of a pull request.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "reporter/forge/forge.h"
#include "store/gate_records.h"

namespace gprofhub::reporter {

// Keeps the commands (gate/ack_command.h) of those who may write to the target branch. The forge
// says who may. Of others nothing is kept, nor of the reporter's own comments. The commands hold
// for this pull request.
//
// A command is its comment, its action and its function. It is kept once, however often it is read.
// Editing or deleting the comment later does not take it back. What an edit adds is kept, too.
//
// A command that cannot be stored is passed over. Errors: the forge's and the store's.
absl::Status TakeCommentCommands(const store::GateRecords& gate, Forge& forge,
                                 const PullRequest& pull_request, const std::string& project,
                                 absl::Time now);

}  // namespace gprofhub::reporter
