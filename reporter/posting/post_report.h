// Puts a posting on its pull request, so that there is one comment that is right,
// whatever happens meanwhile.
//
// A run's job may be done twice, by two processes at once, be cut off anywhere
// and begin anew an hour later. So nothing is remembered but what the forge
// itself shows, and every step leads on from any state:
//
//  - A comment is found by its first line and its author; anybody may write the
//    same line. Of several the oldest stays.
//  - Before anything is written, and after, the head is looked at: a result for
//    a commit that is no longer the head is not posted, or taken back.
//  - A creation that failed may have happened. It is not repeated here; the next
//    attempt lists first.
//  - Editing notifies nobody. So where people last read that all was well and it
//    no longer is, the old comment goes and a new one comes.
#pragma once

#include "absl/status/statusor.h"
#include "reporter/forge/forge.h"
#include "reporter/posting/posting.h"

namespace gprofhub::reporter {

enum class PostOutcome {
  kPosted,      // a comment says it now, or said it already
  kSilent,      // there is nothing to say and no comment that says otherwise
  kSuperseded,  // the head moved, or a newer run of this commit has spoken
};

// `pull_request` as it was read before the posting was composed; its head is the
// posting's commit. The check is published unless superseded, even where the
// comment could not be. Errors: the forge's; doing it again is always right.
absl::StatusOr<PostOutcome> PostReport(Forge& forge, const PullRequest& pull_request,
                                       const Posting& posting);

}  // namespace gprofhub::reporter
