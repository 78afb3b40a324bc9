// Checks that the referenced segments exist in the archive, with their full length. Their bytes are
// not read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/objects/object_store.h"
#include "store/sql/database.h"

namespace gprofhub::store {

// A finding for the inspection's report (store/upkeep/inspection.h).
struct BoxFinding {
  bool is_damage = false;
  std::string kind;
  std::string subject;
  std::string advice;
};

// Returns the number of examined segments. The archive is listed once. Without an archive (null),
// reports only whether one is needed. Segments without a row count as being built if they changed
// at `filled_before` or later.
absl::StatusOr<uint64_t> InspectBoxes(sql::Database& database, ObjectStore* shelf,
                                      absl::Time filled_before,
                                      const std::function<void(const BoxFinding&)>& tell);

}  // namespace gprofhub::store
