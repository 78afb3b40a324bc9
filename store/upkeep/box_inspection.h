// Whether the boxes that rows name stand on the shelf, in full length. Their bytes are not read.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/objects/object_store.h"
#include "store/sql/database.h"
#include "store/upkeep/inspection.h"

namespace gprofhub::store {

// How many boxes it looked at. The shelf is listed once. Without a shelf (null) it only tells if
// one is needed. Boxes that no row names are being filled if they changed at `filled_before` or
// later.
absl::StatusOr<uint64_t> InspectBoxes(sql::Database& database, ObjectStore* shelf,
                                      absl::Time filled_before,
                                      const std::function<void(const InspectionFinding&)>& tell);

}  // namespace gprofhub::store
