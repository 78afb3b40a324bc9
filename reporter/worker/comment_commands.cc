#include "reporter/worker/comment_commands.h"

#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "reporter/gate/ack_command.h"

namespace gprofhub::reporter {

absl::Status TakeCommentCommands(const store::GateRecords& gate, Forge& forge,
                                 const PullRequest& pull_request, const std::string& project,
                                 absl::Time now) {
  absl::StatusOr<std::vector<Comment>> comments = forge.ListComments(pull_request);
  if (!comments.ok()) return comments.status();
  absl::StatusOr<std::vector<store::AcknowledgementRecord>> known =
      gate.ListAcknowledgements(project);
  if (!known.ok()) return known.status();
  std::set<std::string> sources;
  for (const store::AcknowledgementRecord& record : *known) sources.insert(record.source);
  std::map<std::string, bool> may_write;  // by author
  for (const Comment& comment : *comments) {
    if (comment.own) continue;
    size_t index = 0;
    for (const AckCommand& command : ParseAckCommands(comment.body)) {
      store::AcknowledgementRecord record;
      record.source = absl::StrCat("comment/", pull_request.number, "/", comment.id, "/", index++);
      if (sources.contains(record.source)) continue;
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
      absl::StatusOr<int64_t> id = gate.AddAcknowledgement(record);
      // A text that cannot be stored is nobody's acknowledgement.
      if (!id.ok() && !absl::IsInvalidArgument(id.status())) return id.status();
    }
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::reporter
