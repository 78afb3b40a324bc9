#include "reporter/posting/post_report.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::reporter {
namespace {

class Poster {
 public:
  Poster(Forge& forge, const PullRequest& pull_request, const Posting& posting)
      : forge_(forge), pull_request_(pull_request), posting_(posting) {}

  absl::StatusOr<PostOutcome> PostComment();

 private:
  // Our own comments with the marker, oldest first.
  absl::StatusOr<std::vector<Comment>> OwnComments();
  absl::StatusOr<bool> HeadIsStill();
  absl::StatusOr<PostOutcome> Create();
  absl::StatusOr<PostOutcome> Edit(const Comment& comment);
  absl::StatusOr<PostOutcome> SettleDuplicates(const std::string& created);

  bool Says(const Comment& comment) const {
    const bool same_state = !forge_.traits().edits_comments ||
                            ToString(ReadStateLine(comment.body)) == ToString(posting_.about);
    return same_state && VisibleText(comment.body) == VisibleText(posting_.body);
  }
  bool HasNewerRun(const Comment& comment) const {
    const StateLine line = ReadStateLine(comment.body);
    return line.commit == posting_.about.commit && line.run_id > posting_.about.run_id;
  }

  Forge& forge_;
  const PullRequest& pull_request_;
  const Posting& posting_;
};

absl::StatusOr<std::vector<Comment>> Poster::OwnComments() {
  absl::StatusOr<std::vector<Comment>> comments = forge_.ListComments(pull_request_);
  if (!comments.ok()) return comments.status();
  std::erase_if(*comments, [this](const Comment& comment) {
    return !comment.own || !absl::StartsWith(comment.body, posting_.marker);
  });
  return comments;
}

absl::StatusOr<bool> Poster::HeadIsStill() {
  absl::StatusOr<PullRequest> now = forge_.ReadPullRequest(pull_request_.number);
  if (!now.ok()) return now.status();
  return now->head_commit == posting_.about.commit;
}

absl::StatusOr<PostOutcome> Poster::PostComment() {
  absl::StatusOr<bool> current = HeadIsStill();
  if (!current.ok()) return current.status();
  if (!*current) return PostOutcome::kSuperseded;
  absl::StatusOr<std::vector<Comment>> own = OwnComments();
  if (!own.ok()) return own.status();
  const bool silent = posting_.about.state == PostingState::kNoChange;
  if (own->empty()) return silent ? PostOutcome::kSilent : Create();

  if (!forge_.traits().edits_comments) {
    const std::string last = VisibleText(own->back().body);
    const bool says_no_change = last.find('\n') == std::string::npos;
    const bool said = Says(own->back()) || (silent && says_no_change);
    return said ? PostOutcome::kPosted : Edit(own->back());
  }
  for (size_t i = 1; i < own->size(); ++i) {
    absl::Status status = forge_.DeleteComment(pull_request_, (*own)[i].id);
    if (!status.ok()) return status;
  }
  const Comment& kept = own->front();
  if (HasNewerRun(kept)) return PostOutcome::kSuperseded;
  if (Says(kept)) return PostOutcome::kPosted;
  const PostingState before = ReadStateLine(kept.body).state;
  const bool was_clean = before == PostingState::kNoChange || before == PostingState::kChanged;
  if (posting_.about.state == PostingState::kRegressed && was_clean) {
    absl::Status status = forge_.DeleteComment(pull_request_, kept.id);
    if (!status.ok()) return status;
    return Create();
  }
  return Edit(kept);
}

absl::StatusOr<PostOutcome> Poster::Create() {
  absl::StatusOr<std::string> id = forge_.CreateComment(pull_request_, posting_.body);
  if (!id.ok()) return id.status();
  absl::StatusOr<bool> current = HeadIsStill();
  if (!current.ok()) return current.status();
  if (!forge_.traits().edits_comments) return PostOutcome::kPosted;
  if (!*current) {
    absl::Status status = forge_.DeleteComment(pull_request_, *id);
    if (!status.ok()) return status;
    return PostOutcome::kSuperseded;
  }
  return SettleDuplicates(*id);
}

absl::StatusOr<PostOutcome> Poster::Edit(const Comment& comment) {
  absl::Status status = forge_.EditComment(pull_request_, comment.id, posting_.body);
  // It was deleted after it was listed.
  if (absl::IsNotFound(status)) {
    return posting_.about.state == PostingState::kNoChange
               ? absl::StatusOr<PostOutcome>(PostOutcome::kSilent)
               : Create();
  }
  if (!status.ok()) return status;
  absl::StatusOr<bool> current = HeadIsStill();
  if (!current.ok()) return current.status();
  if (*current || !forge_.traits().edits_comments) return PostOutcome::kPosted;
  status = forge_.EditComment(pull_request_, comment.id, comment.body);
  if (!status.ok() && !absl::IsNotFound(status)) return status;
  return PostOutcome::kSuperseded;
}

// Another reporter may have listed at the same time and created a comment, too. Both keep the
// oldest one, and the newer run's text wins.
absl::StatusOr<PostOutcome> Poster::SettleDuplicates(const std::string& created) {
  absl::StatusOr<std::vector<Comment>> own = OwnComments();
  if (!own.ok()) return own.status();
  if (own->empty() || own->front().id == created) return PostOutcome::kPosted;
  absl::Status status = forge_.DeleteComment(pull_request_, created);
  if (!status.ok()) return status;
  const Comment& oldest = own->front();
  if (HasNewerRun(oldest)) return PostOutcome::kSuperseded;
  if (Says(oldest)) return PostOutcome::kPosted;
  return Edit(oldest);
}

}  // namespace

absl::StatusOr<PostOutcome> PostReport(Forge& forge, const PullRequest& pull_request,
                                       const Posting& posting) {
  const absl::StatusOr<PostOutcome> outcome = Poster(forge, pull_request, posting).PostComment();
  if (outcome.ok() && *outcome == PostOutcome::kSuperseded) return outcome;
  // A check belongs to its commit, so it is correct even if the head moved.
  const absl::Status checked = forge.PublishCheck(pull_request, posting.check);
  if (!outcome.ok()) return outcome.status();
  if (!checked.ok()) return checked;
  return outcome;
}

}  // namespace gprofhub::reporter
