// Whether the boxes that rows name stand on the shelf, in full length. Their bytes are not read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/objects/object_store.h"
#include "store/sql/database.h"

namespace gprofhub::store {

// As an inspection tells it (store/upkeep/inspection.h).
struct BoxFinding {
  bool is_damage = false;
  std::string kind;
  std::string subject;
  std::string advice;
};

// How many boxes it looked at. The shelf is listed once. Without a shelf (null) it only tells if
// one is needed. Boxes that no row names are being filled if they changed at `filled_before` or
// later.
absl::StatusOr<uint64_t> InspectBoxes(sql::Database& database, ObjectStore* shelf,
                                      absl::Time filled_before,
                                      const std::function<void(const BoxFinding&)>& tell);

}  // namespace gprofhub::store
