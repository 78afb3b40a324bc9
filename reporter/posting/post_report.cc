#include "reporter/posting/post_report.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/http/percent_coding.h"
#include "base/status_macros.h"

namespace gprofhub::reporter {

namespace {

// Domain separation from other signatures with the same key.
constexpr absl::string_view kPurpose = "gprofhub picture 1\n";

// The signed text: canonical, independent of the order of query parameters. Encoded values do not
// contain '&', so the text is unambiguous.
std::string QueryOf(const TrendPicture& picture, int64_t until) {
  const auto coded = [](absl::string_view text) { return base::PercentEncoded(text); };
  return absl::StrCat("project=", coded(picture.project), "&run=", picture.run_id,
                      "&base=", coded(picture.base_commit), "&function=", coded(picture.function),
                      "&target=", coded(picture.target),
                      "&what=", picture.is_time ? "time" : "calls", "&until=", until);
}

std::string SignOf(absl::string_view query, absl::string_view key) {
  return base::HmacSha256Hex(key, absl::StrCat(kPurpose, query));
}

}  // namespace

std::string SignedPictureAddress(const TrendPicture& picture, absl::Time until,
                                 absl::string_view key) {
  const std::string query = QueryOf(picture, absl::ToUnixSeconds(until));
  return absl::StrCat(kPicturePath, "?", query, "&sign=", SignOf(query, key));
}

std::optional<TrendPicture> SignedPicture(const std::map<std::string, std::string>& query,
                                          absl::Time now, absl::string_view key) {
  const auto value = [&query](const char* name) {
    const auto found = query.find(name);
    return found == query.end() ? std::string() : found->second;
  };
  TrendPicture picture;
  picture.project = value("project");
  picture.base_commit = value("base");
  picture.function = value("function");
  picture.target = value("target");
  picture.is_time = value("what") == "time";
  int64_t until = 0;
  bool is_good = absl::SimpleAtoi(value("run"), &picture.run_id);
  is_good = absl::SimpleAtoi(value("until"), &until) && is_good;
  is_good = base::EqualSecrets(value("sign"), SignOf(QueryOf(picture, until), key)) && is_good;
  is_good = now < absl::FromUnixSeconds(until) && is_good;
  is_good = key.size() >= kLeastPictureKeyBytes && is_good;
  if (!is_good) return std::nullopt;
  return picture;
}

namespace {

class Poster {
 public:
  Poster(Forge& forge, const PullRequest& pull_request, const Posting& posting, Refusals& refusals)
      : forge_(forge),
        pull_request_(pull_request),
        posting_(posting),
        refusals_(refusals),
        body_(posting.body) {}

  absl::StatusOr<PostOutcome> Post();

 private:
  absl::StatusOr<PostOutcome> PostComment(const std::vector<Comment>& own);
  // Our own comments with the marker, oldest first.
  absl::StatusOr<std::vector<Comment>> OwnComments();
  absl::StatusOr<bool> HeadIsStill();
  absl::StatusOr<PostOutcome> Create();
  absl::StatusOr<PostOutcome> Edit(const Comment& comment);
  absl::StatusOr<PostOutcome> SettleDuplicates(const std::string& created);
  // Deletes a comment of ours that should not be there. Returns whether the forge permitted it.
  absl::StatusOr<bool> Remove(const std::string& id);

  bool Says(const Comment& comment) const {
    const bool same_state = !forge_.traits().edits_comments ||
                            ToString(ReadStateLine(comment.body)) == ToString(posting_.about);
    return same_state && VisibleText(comment.body) == VisibleText(body_);
  }
  bool HasNewerRun(const Comment& comment) const {
    const StateLine line = ReadStateLine(comment.body);
    return line.commit == posting_.about.commit && line.run_id > posting_.about.run_id;
  }

  Forge& forge_;
  const PullRequest& pull_request_;
  const Posting& posting_;
  Refusals& refusals_;
  std::string body_;
};

absl::StatusOr<std::vector<Comment>> Poster::OwnComments() {
  std::vector<Comment> own;
  RETURN_IF_ERROR(forge_.VisitComments(pull_request_, [&](Comment comment) {
    if (comment.own && absl::StartsWith(comment.body, posting_.marker)) {
      own.push_back(std::move(comment));
    }
  }));
  return own;
}

absl::StatusOr<bool> Poster::HeadIsStill() {
  ASSIGN_OR_RETURN(PullRequest now, forge_.ReadPullRequest(pull_request_.number));
  return now.head_commit == posting_.about.commit;
}

absl::StatusOr<bool> Poster::Remove(const std::string& id) {
  const absl::Status deleted = forge_.DeleteComment(pull_request_, id);
  RETURN_IF_ERROR(refusals_.Absorb("deletion of an old comment", deleted));
  return deleted.ok();
}

absl::StatusOr<PostOutcome> Poster::Post() {
  ASSIGN_OR_RETURN(const bool current, HeadIsStill());
  if (!current) return PostOutcome::kSuperseded;
  const absl::StatusOr<std::vector<Comment>> own = OwnComments();
  if (own.ok() && !own->empty() && forge_.traits().edits_comments && HasNewerRun(own->front())) {
    return PostOutcome::kSuperseded;
  }
  const absl::StatusOr<bool> checked =
      forge_.PublishCheck(pull_request_, posting_.check, refusals_);
  // Without the list a second comment could appear.
  body_ += MissingLine(refusals_, forge_.traits().markdown);
  absl::StatusOr<PostOutcome> outcome =
      own.ok() ? PostComment(*own) : absl::StatusOr<PostOutcome>(own.status());
  if (IsRefusal(outcome.status()) && checked.ok() && *checked) {
    refusals_.Add("comment", outcome.status());
    outcome = PostOutcome::kPosted;
  }
  if (!outcome.ok()) return outcome.status();
  if (!checked.ok()) return checked.status();
  return outcome;
}

absl::StatusOr<PostOutcome> Poster::PostComment(const std::vector<Comment>& own) {
  const bool silent = posting_.about.state == PostingState::kNoChange;
  if (own.empty()) return silent ? PostOutcome::kSilent : Create();

  if (!forge_.traits().edits_comments) {
    const std::string last = VisibleText(own.back().body);
    const bool says_no_change = last.find('\n') == std::string::npos;
    const bool said = Says(own.back()) || (silent && says_no_change);
    return said ? PostOutcome::kPosted : Edit(own.back());
  }
  for (size_t i = 1; i < own.size(); ++i) {
    RETURN_IF_ERROR(Remove(own[i].id).status());
  }
  const Comment& kept = own.front();
  if (Says(kept)) return PostOutcome::kPosted;
  const PostingState before = ReadStateLine(kept.body).state;
  const bool was_clean = before == PostingState::kNoChange || before == PostingState::kChanged;
  if (posting_.about.state == PostingState::kRegressed && was_clean) {
    ASSIGN_OR_RETURN(const bool removed, Remove(kept.id));
    if (removed) return Create();
  }
  return Edit(kept);
}

absl::StatusOr<PostOutcome> Poster::Create() {
  ASSIGN_OR_RETURN(std::string id, forge_.CreateComment(pull_request_, body_));
  ASSIGN_OR_RETURN(bool current, HeadIsStill());
  if (!forge_.traits().edits_comments) return PostOutcome::kPosted;
  if (!current) {
    RETURN_IF_ERROR(Remove(id).status());
    return PostOutcome::kSuperseded;
  }
  return SettleDuplicates(id);
}

absl::StatusOr<PostOutcome> Poster::Edit(const Comment& comment) {
  absl::Status status = forge_.EditComment(pull_request_, comment.id, body_);
  // It was deleted after it was listed.
  if (absl::IsNotFound(status)) {
    return posting_.about.state == PostingState::kNoChange
               ? absl::StatusOr<PostOutcome>(PostOutcome::kSilent)
               : Create();
  }
  if (!status.ok()) return status;
  ASSIGN_OR_RETURN(bool current, HeadIsStill());
  if (current || !forge_.traits().edits_comments) return PostOutcome::kPosted;
  status = forge_.EditComment(pull_request_, comment.id, comment.body);
  if (!status.ok() && !absl::IsNotFound(status)) return status;
  return PostOutcome::kSuperseded;
}

// Another reporter may have listed at the same time and created a comment, too. Both keep the
// oldest one, and the newer run's text wins.
absl::StatusOr<PostOutcome> Poster::SettleDuplicates(const std::string& created) {
  ASSIGN_OR_RETURN(std::vector<Comment> own, OwnComments());
  if (own.empty() || own.front().id == created) return PostOutcome::kPosted;
  RETURN_IF_ERROR(Remove(created).status());
  const Comment& oldest = own.front();
  if (HasNewerRun(oldest)) return PostOutcome::kSuperseded;
  if (Says(oldest)) return PostOutcome::kPosted;
  return Edit(oldest);
}

}  // namespace

absl::StatusOr<PostOutcome> PostReport(Forge& forge, const PullRequest& pull_request,
                                       const Posting& posting, Refusals& refusals) {
  return Poster(forge, pull_request, posting, refusals).Post();
}

}  // namespace gprofhub::reporter
