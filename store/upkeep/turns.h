// Work that is done once in a while by one of all processes that have the store open.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace gprofhub::store {

namespace sql {
class Database;
}

// A part of the store: store/store.h documents what all parts guarantee.
class Turns {
 public:
  explicit Turns(std::shared_ptr<sql::Database> database);

  // Whether the caller does the housekeeping now: true if no process did since `now - every`. A
  // process that dies during it costs the store one turn.
  absl::StatusOr<bool> TakeHousekeeping(absl::Time now, absl::Duration every) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
