// Dead letters: failed work, and how it is revived.
//
//   kind           given up when                                    revived, it
//   kJob           an analysis failed, or its workers vanished      is pending, with no attempts
//   kReport        a report could not be posted for a day           is due at once
//   kNotification  a message could not be delivered                 is due at once
//
// store/job_queue.h, report_queue.h and notifications.h document when each kind fails.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/records/records.h"

namespace gprofhub::store {

namespace sql {
class Database;
}

enum class LetterKind { kJob, kReport, kNotification };

struct DeadLetter {
  // Of the job or the notification. A report is identified by its run.
  int64_t id = 0;
  std::string project;
  int64_t run_id = 0;  // 0: it is of none
  std::string what;    // the target, the pull request or branch, the channel
  uint32_t attempts = 0;
  std::string reason;
  absl::Time since;  // when it was queued
};

struct LetterFilter {
  std::string project;       // empty: all
  std::vector<int64_t> ids;  // empty: all
};

// A part of the store: store/store.h documents what all parts guarantee.
class DeadLetters {
 public:
  explicit DeadLetters(std::shared_ptr<sql::Database> database);

  // Those with an id greater than `after`, at most `limit`, in the order of the ids.
  absl::StatusOr<std::vector<DeadLetter>> List(LetterKind kind, const LetterFilter& filter,
                                               int64_t after, uint32_t limit) const;

  // Revives them, some in each transaction, and returns their number. NOT_FOUND if one of `ids` is
  // not a dead letter; those before it are revived. A report that is named by its run is posted
  // again regardless of its state. FAILED_PRECONDITION if retention has deleted a job's profiles:
  // it has no input. Without `ids` such jobs are left out.
  absl::StatusOr<uint64_t> Revive(LetterKind kind, const LetterFilter& filter, const Actor& by,
                                  absl::Time now) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
