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
//    longer the head is not posted, or is removed. A check belongs to its commit and stays. It is
//    published before the comment, which names what is missing.
//  - A creation that failed may have succeeded on the forge. It is not retried here. The next
//  attempt
//    lists the comments first.
//  - Editing does not notify. If a comment reported success and that is no longer true, the old
//    comment is replaced by a new one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "reporter/forge/forge.h"
#include "reporter/posting/posting.h"

namespace gprofhub::reporter {

// Signed addresses of pictures embedded in comments. A forge fetches the picture for its readers
// without logging in, so the address is a capability: it is signed, shows one trend and nothing
// else, and expires.

// Minimum key length; a shorter key could be guessed.
inline constexpr size_t kLeastPictureKeyBytes = 32;

// The calls, or the self time, of a function up to a run.
struct TrendPicture {
  std::string project;
  int64_t run_id = 0;
  std::string base_commit;  // base of the comparison
  std::string function;     // linkage name
  std::string target;
  bool is_time = false;

  friend bool operator==(const TrendPicture&, const TrendPicture&) = default;
};

// The path of all pictures, and the signed path and query of one: "/picture/trend.svg?…".
inline constexpr absl::string_view kPicturePath = "/picture/trend.svg";
std::string SignedPictureAddress(const TrendPicture& picture, absl::Time until,
                                 absl::string_view key);

// The picture of a query, if it was signed with this key and has not expired. Otherwise nothing,
// without a reason.
std::optional<TrendPicture> SignedPicture(const std::map<std::string, std::string>& query,
                                          absl::Time now, absl::string_view key);

enum class PostOutcome {
  kPosted,      // a comment has this result, now or before, unless the forge refused the comment
  kSilent,      // nothing to report, and no comment contradicts that
  kSuperseded,  // the head moved, or a newer run of this commit was posted
};

// `pull_request` was read before the posting was composed. Its head is the posting's commit.
//
// Every part is published that the forge permits. Parts that it refuses for good are added to
// `refusals`, and a line of the comment names them all, with those that `refusals` had before.
// Errors are the forge's: temporary ones, after trying the other parts, and refusals of the pull
// request itself or of everything. The check is published unless the posting is superseded before.
// Idempotent.
absl::StatusOr<PostOutcome> PostReport(Forge& forge, const PullRequest& pull_request,
                                       const Posting& posting, Refusals& refusals);

}  // namespace gprofhub::reporter
