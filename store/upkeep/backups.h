// The store's record of its backups.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"

namespace gprofhub::store {

namespace sql {
class Database;
}

// A part of the store: store/store.h documents what all parts guarantee.
class Backups {
 public:
  explicit Backups(std::shared_ptr<sql::Database> database);

  // Start time of the last successful backup: it includes everything recorded before.
  // absl::InfinitePast() without any backup.
  absl::StatusOr<absl::Time> Last() const;

  // Records a successful backup at `place`, started at that time.
  absl::Status RecordGood(absl::Time begun, absl::string_view place, const Actor& by,
                          absl::Time now) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
