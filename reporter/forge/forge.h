// Interface of a code forge, limited to what the reporter needs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "reporter/findings/diff_lines.h"

namespace gprofhub::reporter {

// Interface to the issues of a repository.

struct Issue {
  std::string number;  // digits
  std::string body;
  bool own = false;  // by the reporter's account
};

enum class IssueState { kAsItIs, kOpen, kClosed };

// Issues with the label kLabel. Methods block; errors are RestApi's.
class Issues {
 public:
  static constexpr char kLabel[] = "gprofhub";

  virtual ~Issues() = default;

  // Open and closed ones.
  virtual absl::StatusOr<std::vector<Issue>> List() = 0;
  // Returns the new issue's number. Bodies are GitHub-flavoured Markdown with HTML comments.
  virtual absl::StatusOr<std::string> Create(absl::string_view title, absl::string_view body) = 0;
  virtual absl::Status Edit(absl::string_view number, absl::string_view title,
                            absl::string_view body, IssueState state) = 0;
};

// The current state of a pull request (GitHub), merge request (GitLab) or change (Gerrit).
struct PullRequest {
  std::string number;  // digits
  bool open = false;
  bool from_fork = false;
  std::string head_commit;
  std::string target_branch;
  std::string default_branch;  // of the repository; empty: the forge has not named it
  std::string checks_url;      // page of its checks; may be empty
};

struct Comment {
  std::string id;
  std::string body;
  bool own = false;       // by the reporter's account
  std::string author;     // display name
  std::string author_id;  // argument of MayWrite
};

// A review remark at a line of code.
struct Annotation {
  std::string path;  // in the repository
  uint32_t line = 0;
  std::string title;    // plain text
  std::string message;  // plain text
};

struct Check {
  enum class Conclusion { kSuccess, kFailure, kNeutral };
  Conclusion conclusion = Conclusion::kNeutral;
  std::string title;                    // one line of plain text
  std::string summary;                  // same markup as a comment's body
  std::vector<Annotation> annotations;  // most important first
  // Idempotency key: publishing a result again under its key changes nothing.
  std::string key;
};

struct ForgeTraits {
  // Bodies are GitHub-flavoured Markdown with HTML comments. Otherwise they are plain text.
  bool markdown = true;
  // EditComment changes a comment in place. Otherwise it adds one that supersedes the older ones,
  // and DeleteComment does nothing.
  bool edits_comments = true;
  size_t max_comment_bytes = 0;
};

// The name of the check at a pull request's head: "gprofhub"; for another target than the default
// branch "gprofhub (TARGET)". Two pull requests with one head have a check each.
std::string CheckNameOf(absl::string_view target_branch, absl::string_view default_branch);

// Whether the forge refused a request for good: another attempt would have the same answer until
// somebody changes a permission or a setting. 401, 403, 404, 410, 422 and the like, but no rate
// limit.
bool IsRefusal(const absl::Status& error);

// An error of RestApi without method and address: "403 (needs actions=write) Resource not
// accessible by integration".
absl::string_view ReasonOf(absl::string_view message);

// The parts of a report that the forge refused for good, with the errors. A report is published
// without them.
class Refusals {
 public:
  struct Refusal {
    std::string part;  // "commit status"
    std::string error;
  };

  // OK if `status` is, or if it is a refusal, which is added. Otherwise `status`.
  absl::Status Absorb(absl::string_view part, const absl::Status& status);
  void Add(absl::string_view part, const absl::Status& error);

  bool empty() const { return refusals_.empty(); }
  const std::vector<Refusal>& list() const { return refusals_; }
  // "commit status (POST …: 404 Not Found); code owners (…)"
  std::string ToString() const;

 private:
  std::vector<Refusal> refusals_;  // one for each part
};

// Methods block and are thread-safe. Errors are RestApi's: UNAVAILABLE if the forge is unreachable
// or asks to wait (RetryAfterOf), NOT_FOUND, and PERMISSION_DENIED and UNAUTHENTICATED if the
// credentials do not suffice.
class Forge {
 public:
  virtual ~Forge() = default;

  virtual ForgeTraits traits() const = 0;

  // `number` is digits, as returned by ParseNumber.
  virtual absl::StatusOr<PullRequest> ReadPullRequest(absl::string_view number) = 0;
  virtual absl::StatusOr<ChangedLines> ReadChangedLines(const PullRequest& pull_request) = 0;

  // The repository's default branch, such as "main".
  virtual absl::StatusOr<std::string> ReadDefaultBranch() = 0;
  // Whether `commit` is the branch's head or one of its ancestors. False if the commit is unknown.
  virtual absl::StatusOr<bool> CommitIsOnBranch(absl::string_view commit,
                                                absl::string_view branch) = 0;
  // A file of the repository at the tip of a branch, or at a commit given by its full hash.
  // NOT_FOUND.
  virtual absl::StatusOr<std::string> ReadFile(absl::string_view revision,
                                               absl::string_view path) = 0;

  // Calls `visit` with the comments of all authors, oldest first.
  virtual absl::Status VisitComments(const PullRequest& pull_request,
                                     const std::function<void(Comment)>& visit) = 0;
  // Returns the new comment's id.
  virtual absl::StatusOr<std::string> CreateComment(const PullRequest& pull_request,
                                                    absl::string_view body) = 0;
  virtual absl::Status EditComment(const PullRequest& pull_request, absl::string_view id,
                                   absl::string_view body) = 0;
  // OK if it is already deleted.
  virtual absl::Status DeleteComment(const PullRequest& pull_request, absl::string_view id) = 0;

  // Publishes the result for pull_request.head_commit: a check run, a commit status, or a vote, and
  // annotations. Publishes the parts that the forge permits, and adds the others to `refusals`.
  // Returns whether anything of the result is published.
  virtual absl::StatusOr<bool> PublishCheck(const PullRequest& pull_request, const Check& check,
                                            Refusals& refusals) = 0;

  // Whether the author of a comment has write permission for the target branch.
  virtual absl::StatusOr<bool> MayWrite(absl::string_view author_id,
                                        const PullRequest& pull_request) = 0;

  // Restarts a job of the forge's own CI and returns its address. `link` is untrusted input from an
  // upload: the forge must confirm that it is a job of the pull request's head with this name.
  // FAILED_PRECONDITION if it is not, or the forge has no such jobs; UNAVAILABLE, too, while the
  // job is running.
  virtual absl::StatusOr<std::string> StartAgain(const PullRequest& pull_request,
                                                 absl::string_view link, absl::string_view job);

  // The repository's issues, owned by the forge. nullptr if it has none.
  virtual Issues* issues() { return nullptr; }
};

// Parses the number of a pull request as uploads write it: "17", "#17" or "!17". INVALID_ARGUMENT
// for anything else.
absl::StatusOr<std::string> ParseNumber(absl::string_view text);

// The digits after the last `place` in a link, such as "/jobs/". FAILED_PRECONDITION without
// digits.
absl::StatusOr<std::string> NumberAfter(absl::string_view link, absl::string_view place);

}  // namespace gprofhub::reporter
