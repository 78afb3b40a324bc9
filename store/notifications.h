// What channels are told of changes of a branch: one row for each channel and key.
//
//   pending ──claim──▶ leased ──told, or nothing to tell──▶ done
//      ▲                 │  └──failed──▶ failed
//      └──again, or──────┘
//         new content
//
// Whoever finds out that there is something to tell puts it here. The key says what it is, so
// putting it once more changes nothing, whichever process does. Other content under the key makes
// the row due again. As in job_queue.h, worker, attempts and claimed generation name one claim.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"

namespace gprofhub::store {

namespace sql {
class Database;
class FutureLeases;
}  // namespace sql

// A part of the store: store.h says what holds for all of them.
class Notifications {
 public:
  explicit Notifications(std::shared_ptr<sql::Database> database);

  // Makes what is new, or has other content, due now. Without `deliver` it is only kept.
  absl::Status Put(const std::vector<NotificationRecord>& records, bool deliver,
                   absl::Time now) const;

  // Gives the channel's row that is due first, or whose lease has run out, to `worker` until
  // now + lease. nullopt if there is none.
  absl::StatusOr<std::optional<NotificationRecord>> Claim(absl::string_view channel,
                                                          absl::string_view worker, absl::Time now,
                                                          absl::Duration lease) const;

  // What is pending for channels other than these is not to be told any more.
  absl::Status DropOthers(const std::vector<std::string>& channels) const;

  // FAILED_PRECONDITION if the row is no longer this worker's.
  absl::Status ExtendLease(const NotificationRecord& claimed, absl::Time now,
                           absl::Duration lease) const;

  // Ends this attempt. What was told is the content of the claim. If there is other content by now,
  // the row is due again, whatever the outcome. FAILED_PRECONDITION as above.
  absl::Status Finish(const NotificationRecord& claimed, const NotificationOutcome& outcome,
                      absl::Time now) const;

  // All of the project, oldest first.
  absl::StatusOr<std::vector<NotificationRecord>> List(absl::string_view project) const;

  // Those that have rows, in the order of their names.
  absl::StatusOr<std::vector<std::string>> ListProjects() const;

 private:
  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<sql::FutureLeases> future_leases_;
};

}  // namespace gprofhub::store
