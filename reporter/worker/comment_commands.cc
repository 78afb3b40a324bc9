#include "reporter/worker/comment_commands.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "reporter/gate/gate.h"

namespace gprofhub::reporter {

namespace {

// The part of a report, for Refusals.
constexpr absl::string_view kCommands = "commands in comments";

// Source key of a command. It identifies the command itself, not its position in the comment, since
// an edit may insert or replace commands.
std::string SourceOf(const PullRequest& pull_request, const Comment& comment,
                     const AckCommand& command) {
  return absl::StrCat("comment/", pull_request.number, "/", comment.id, "/",
                      command.not_a_regression ? "not-a-regression/" : "ack/",
                      base::Sha256Hex(command.function));
}

std::string RerunSourceOf(const PullRequest& pull_request, const Comment& comment) {
  return absl::StrCat("comment/", pull_request.number, "/", comment.id, "/rerun");
}

// Commands that cannot be stored are ignored.
absl::Status UnlessInvalid(const absl::Status& status) {
  return absl::IsInvalidArgument(status) ? absl::OkStatus() : status;
}

class Taker {
 public:
  Taker(const store::GateRecords& gate, Forge& forge, const PullRequest& pull_request,
        const store::RunRecord& run, absl::Time now, Refusals& refusals)
      : gate_(gate),
        forge_(forge),
        pull_request_(pull_request),
        run_(run),
        now_(now),
        refusals_(refusals) {}

  // Reads the stored commands.
  absl::Status ReadKnown() {
    ASSIGN_OR_RETURN(const auto said, gate_.ListAllAcknowledgements(run_.project));
    for (const store::AcknowledgementRecord& record : said) known_.insert(record.source);
    ASSIGN_OR_RETURN(const auto asked, gate_.ListRerunRequests(run_.project, pull_request_.number));
    for (const store::RerunRequestRecord& record : asked) known_.insert(record.source);
    return absl::OkStatus();
  }

  absl::Status Take(const Comment& comment) {
    for (const AckCommand& command : ParseAckCommands(comment.body)) {
      RETURN_IF_ERROR(TakeAck(comment, command));
    }
    return AsksForRerun(comment.body) ? TakeRerun(comment) : absl::OkStatus();
  }

 private:
  // Whether it is new, and its author has permission.
  absl::StatusOr<bool> Counts(const Comment& comment, const std::string& source) {
    // The account of an author without a name was deleted.
    if (known_.contains(source) || comment.author_id.empty()) return false;
    if (!may_write_.contains(comment.author_id)) {
      const absl::StatusOr<bool> writes = forge_.MayWrite(comment.author_id, pull_request_);
      RETURN_IF_ERROR(refusals_.Absorb(kCommands, writes.status()));
      may_write_[comment.author_id] = writes.ok() && *writes;
    }
    // Strangers' commands are not remembered: there may be many.
    if (!may_write_[comment.author_id]) return false;
    return known_.insert(source).second;
  }

  absl::Status TakeAck(const Comment& comment, const AckCommand& command) {
    store::AcknowledgementRecord record;
    record.source = SourceOf(pull_request_, comment, command);
    const absl::StatusOr<bool> counts = Counts(comment, record.source);
    if (!counts.ok() || !*counts) return counts.status();
    record.project = run_.project;
    record.pull_request = pull_request_.number;
    record.function = command.function;
    record.author = comment.author;
    record.reason = command.reason;
    record.not_a_regression = command.not_a_regression;
    record.created = now_;
    const store::Actor by = {comment.author, absl::StrCat("comment ", comment.id), /*token_id=*/0};
    return UnlessInvalid(gate_.AddAcknowledgement(record, by).status());
  }

  absl::Status TakeRerun(const Comment& comment) {
    store::RerunRequestRecord record;
    record.source = RerunSourceOf(pull_request_, comment);
    const absl::StatusOr<bool> counts = Counts(comment, record.source);
    if (!counts.ok() || !*counts) return counts.status();
    record.project = run_.project;
    record.pull_request = pull_request_.number;
    record.commit = run_.commit;
    record.run_id = run_.id;
    record.author = comment.author;
    record.created = now_;
    return UnlessInvalid(gate_.AddRerunRequest(record).status());
  }

  const store::GateRecords& gate_;
  Forge& forge_;
  const PullRequest& pull_request_;
  const store::RunRecord& run_;
  const absl::Time now_;
  Refusals& refusals_;
  std::set<std::string> known_;            // sources
  std::map<std::string, bool> may_write_;  // by author
};

}  // namespace

absl::Status TakeCommentCommands(const store::GateRecords& gate, Forge& forge,
                                 const PullRequest& pull_request, const store::RunRecord& run,
                                 absl::Time now, Refusals& refusals) {
  Taker taker(gate, forge, pull_request, run, now, refusals);
  RETURN_IF_ERROR(taker.ReadKnown());
  absl::Status taken = absl::OkStatus();
  const absl::Status listed = forge.VisitComments(pull_request, [&](const Comment& comment) {
    if (taken.ok() && !comment.own) taken = taker.Take(comment);
  });
  RETURN_IF_ERROR(taken);
  return refusals.Absorb(kCommands, listed);
}

using Start = store::RerunRequestRecord::Start;

absl::StatusOr<OpenRerun> SettleRerunRequest(const store::GateRecords& gate, Forge& forge,
                                             const PullRequest& pull_request,
                                             const store::RunRecord& run, const v1::Report& report,
                                             const std::string& job, absl::Time now,
                                             absl::Duration patience) {
  ASSIGN_OR_RETURN(std::vector<store::RerunRequestRecord> requests,
                   gate.ListRerunRequests(run.project, pull_request.number));
  OpenRerun open;
  for (store::RerunRequestRecord& request : requests) {
    if (request.commit == run.commit && !request.answered) open.request = std::move(request);
  }
  if (!open.request.has_value() || report.reruns().empty() || job.empty() ||
      open.request->start != Start::kNotTried) {
    return open;
  }
  store::RerunRequestRecord& request = *open.request;
  const absl::StatusOr<std::string> started = forge.StartAgain(pull_request, run.ci_link, job);
  if (absl::IsUnavailable(started.status()) && now - request.created < patience) {
    open.to_start = true;
    return open;
  }
  request.start = started.ok() ? Start::kStarted : Start::kFailed;
  request.note = started.ok() ? *started : std::string(started.status().message());
  RETURN_IF_ERROR(gate.NoteRerunStart(request.id, request.start, request.note));
  return open;
}

}  // namespace gprofhub::reporter
