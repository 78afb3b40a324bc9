// Puts a posting on its pull request. In the end there is one comment, and it is right, whatever
// happens meanwhile.
//
// A run's job may be done twice, or by two processes at once. It may be cut off anywhere and begin
// anew an hour later. So nothing is remembered but what the forge itself shows, and every step
// leads on from any state:
//
//  - A comment is found by its first line and its author, because anybody may write the same
//    line. Of several the oldest stays.
//  - The head is looked at before anything is written, and after. A result for a commit that is no
//    longer the head is not posted, or is taken back.
//  - A creation that failed may have happened. It is not repeated here. The next attempt lists the
//    comments first.
//  - Editing notifies nobody. People may have read that all was well. If it no longer is, the old
//    comment goes and a new one comes.
#pragma once

#include "absl/status/statusor.h"
#include "reporter/forge/forge.h"
#include "reporter/posting/posting.h"

namespace gprofhub::reporter {

enum class PostOutcome {
  kPosted,      // a comment says it now, or said it already
  kSilent,      // there is nothing to say, and no comment says otherwise
  kSuperseded,  // the head moved, or a newer run of this commit has spoken
};

// `pull_request` is what was read before the posting was composed. Its head is the posting's
// commit. The check is published unless the posting is superseded, even if the comment could not
// be. Errors are the forge's. Doing it again is always right.
absl::StatusOr<PostOutcome> PostReport(Forge& forge, const PullRequest& pull_request,
                                       const Posting& posting);

}  // namespace gprofhub::reporter
