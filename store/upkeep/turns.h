// Work that is done once in a while by one of all processes that have the store open.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace gprofhub::store {

namespace sql {
class Database;
}

// A part of the store: store/store.h says what holds for all of them.
class Turns {
 public:
  explicit Turns(std::shared_ptr<sql::Database> database);

  // Whether it is the caller's turn to keep house: nobody had it since `now - every`. A process
  // that dies in its turn costs the store that one.
  absl::StatusOr<bool> TakeHousekeeping(absl::Time now, absl::Duration every) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
