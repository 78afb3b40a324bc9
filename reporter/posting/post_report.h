// Posts a report to its pull request. The end state is exactly one correct comment, despite
// concurrency and crashes.
//
// A run's job may be executed twice, or by two processes at once. It may be interrupted anywhere
// and restart an hour later. So the only state is that of the forge, and every step is correct from
// any state:
//
//  - A comment is identified by its first line and its author, because anyone may write the same
//    line. Of several the oldest is kept.
//  - The head is read before anything is written, and afterwards. A result for a commit that is no
//    longer the head is not posted, or is removed.
//  - A creation that failed may have succeeded on the forge. It is not retried here. The next
//  attempt
//    lists the comments first.
//  - Editing does not notify. If a comment reported success and that is no longer true, the old
//    comment is replaced by a new one.
#pragma once

#include "absl/status/statusor.h"
#include "reporter/forge/forge.h"
#include "reporter/posting/posting.h"

namespace gprofhub::reporter {

enum class PostOutcome {
  kPosted,      // a comment has this result, now or before
  kSilent,      // nothing to report, and no comment contradicts that
  kSuperseded,  // the head moved, or a newer run of this commit was posted
};

// `pull_request` was read before the posting was composed. Its head is the posting's commit. The
// check is published unless the posting is superseded, even if the comment failed. Errors are the
// forge's. Idempotent.
absl::StatusOr<PostOutcome> PostReport(Forge& forge, const PullRequest& pull_request,
                                       const Posting& posting);

}  // namespace gprofhub::reporter
