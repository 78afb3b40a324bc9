// What the reporter needs of a code forge, and no more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "reporter/findings/diff_lines.h"
#include "reporter/forge/issues.h"

namespace gprofhub::reporter {

// The present state of a pull request (GitHub), merge request (GitLab) or change (Gerrit).
struct PullRequest {
  std::string number;  // digits
  bool open = false;
  bool from_fork = false;
  std::string head_commit;
  std::string target_branch;
  std::string checks_url;  // where a person sees its checks; may be empty
};

struct Comment {
  std::string id;
  std::string body;
  bool own = false;       // by the account that the reporter uses
  std::string author;     // as shown to people
  std::string author_id;  // as MayWrite takes it
};

// A remark at a line of the code.
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
  std::string summary;                  // as a comment's body
  std::vector<Annotation> annotations;  // most important first
  // The same for the same result: publishing it again changes nothing.
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

// Methods block. Several threads may call them at once. Errors are RestApi's: UNAVAILABLE when the
// forge cannot be reached or asks to wait (RetryAfterOf), NOT_FOUND, and PERMISSION_DENIED and
// UNAUTHENTICATED where the credentials do not suffice.
class Forge {
 public:
  virtual ~Forge() = default;

  virtual ForgeTraits traits() const = 0;

  // `number` is digits, as ParseNumber gives them.
  virtual absl::StatusOr<PullRequest> ReadPullRequest(absl::string_view number) = 0;
  virtual absl::StatusOr<ChangedLines> ReadChangedLines(const PullRequest& pull_request) = 0;

  // Whether `commit` is the branch's newest or one of its ancestors. False if it is not known.
  virtual absl::StatusOr<bool> CommitIsOnBranch(absl::string_view commit,
                                                absl::string_view branch) = 0;
  // A file of the repository at the tip of a branch, or at a commit that is named by its full hash.
  // NOT_FOUND.
  virtual absl::StatusOr<std::string> ReadFile(absl::string_view revision,
                                               absl::string_view path) = 0;

  // Everybody's, oldest first.
  virtual absl::StatusOr<std::vector<Comment>> ListComments(const PullRequest& pull_request) = 0;
  // Gives the new comment's id.
  virtual absl::StatusOr<std::string> CreateComment(const PullRequest& pull_request,
                                                    absl::string_view body) = 0;
  virtual absl::Status EditComment(const PullRequest& pull_request, absl::string_view id,
                                   absl::string_view body) = 0;
  // OK if it is gone already.
  virtual absl::Status DeleteComment(const PullRequest& pull_request, absl::string_view id) = 0;

  // Publishes the result for pull_request.head_commit.
  virtual absl::Status PublishCheck(const PullRequest& pull_request, const Check& check) = 0;

  // Whether the author of a comment may write to the target branch.
  virtual absl::StatusOr<bool> MayWrite(absl::string_view author_id,
                                        const PullRequest& pull_request) = 0;

  // Starts a job of the forge's own CI again and gives its address. `link` is what an upload says
  // of its job, so it may be anything: the forge is asked whether it is a job of the pull request's
  // head, with this name. FAILED_PRECONDITION if it is not, or the forge has no such jobs;
  // UNAVAILABLE, too, while the job has not ended.
  virtual absl::StatusOr<std::string> StartAgain(const PullRequest& pull_request,
                                                 absl::string_view link, absl::string_view job);

  // The repository's issues. They are the forge's. nullptr where it has none.
  virtual Issues* issues() { return nullptr; }
};

// The number of a pull request as an upload writes it: "17", "#17" or "!17". INVALID_ARGUMENT for
// anything else.
absl::StatusOr<std::string> ParseNumber(absl::string_view text);

// The digits after the last `place` in a link, such as "/jobs/". FAILED_PRECONDITION if there are
// none.
absl::StatusOr<std::string> NumberAfter(absl::string_view link, absl::string_view place);

}  // namespace gprofhub::reporter
