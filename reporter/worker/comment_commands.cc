#include "reporter/worker/comment_commands.h"

#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "reporter/gate/ack_command.h"

namespace gprofhub::reporter {

namespace {

// Where the command was said. It names the command itself, not its place in the comment: an edit
// may put other commands before it, or another in its place.
std::string SourceOf(const PullRequest& pull_request, const Comment& comment,
                     const AckCommand& command) {
  return absl::StrCat("comment/", pull_request.number, "/", comment.id, "/",
                      command.not_a_regression ? "not-a-regression/" : "ack/",
                      base::Sha256Hex(command.function));
}

}  // namespace

absl::Status TakeCommentCommands(const store::GateRecords& gate, Forge& forge,
                                 const PullRequest& pull_request, const std::string& project,
                                 absl::Time now) {
  absl::StatusOr<std::vector<Comment>> comments = forge.ListComments(pull_request);
  if (!comments.ok()) return comments.status();
  absl::StatusOr<std::vector<store::AcknowledgementRecord>> known =
      gate.ListAllAcknowledgements(project);
  if (!known.ok()) return known.status();
  std::set<std::string> sources;
  for (const store::AcknowledgementRecord& record : *known) sources.insert(record.source);
  std::map<std::string, bool> may_write;  // by author
  for (const Comment& comment : *comments) {
    if (comment.own) continue;
    for (const AckCommand& command : ParseAckCommands(comment.body)) {
      store::AcknowledgementRecord record;
      record.source = SourceOf(pull_request, comment, command);
      if (!sources.insert(record.source).second) continue;
      if (!may_write.contains(comment.author_id)) {
        absl::StatusOr<bool> writes = forge.MayWrite(comment.author_id, pull_request);
        if (!writes.ok()) return writes.status();
        may_write[comment.author_id] = *writes;
      }
      if (!may_write[comment.author_id]) continue;
      record.project = project;
      record.pull_request = pull_request.number;
      record.function = command.function;
      record.author = comment.author;
      record.reason = command.reason;
      record.not_a_regression = command.not_a_regression;
      record.created = now;
      absl::StatusOr<int64_t> id = gate.AddAcknowledgement(
          record, {comment.author, absl::StrCat("comment ", comment.id), /*token_id=*/0});
      // A text that cannot be stored is nobody's acknowledgement.
      if (!id.ok() && !absl::IsInvalidArgument(id.status())) return id.status();
    }
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::reporter
