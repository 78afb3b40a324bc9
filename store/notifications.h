// Outbox of notifications on changes of a branch: one row for each channel and key.
//
//   pending ──claim──▶ leased ──sent, or nothing to send──▶ done
//      ▲                 │  └──failed──▶ failed
//      └──again, or──────┘
//         new content
//
// Any process that finds an event to notify of adds it here. The key identifies the event, so
// adding it again has no effect, in any process. Different content under the key makes the row due
// again. As in job_queue.h, worker, attempts and claimed generation identify one claim.
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

// A part of the store: store.h documents what all parts guarantee.
class Notifications {
 public:
  explicit Notifications(std::shared_ptr<sql::Database> database);

  // Makes new or changed content due now. Without `deliver` it is only stored.
  absl::Status Put(const std::vector<NotificationRecord>& records, bool deliver,
                   absl::Time now) const;

  // Leases the row of the channel that is due first, or whose lease has expired, to `worker` until
  // now + lease. nullopt if none is due.
  absl::StatusOr<std::optional<NotificationRecord>> Claim(absl::string_view channel,
                                                          absl::string_view worker, absl::Time now,
                                                          absl::Duration lease) const;

  // Cancels pending notifications of channels other than these.
  absl::Status DropOthers(const std::vector<std::string>& channels) const;

  // FAILED_PRECONDITION if the worker has lost the row.
  absl::Status ExtendLease(const NotificationRecord& claimed, absl::Time now,
                           absl::Duration lease) const;

  // Ends this attempt. The delivered content is that of the claim. If the content has changed
  // since, the row is due again, regardless of the outcome. FAILED_PRECONDITION as above.
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
