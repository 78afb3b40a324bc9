// Checks that the archive has all segments that rows refer to, with their sizes. Does not read
// their bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/objects/object_store.h"
#include "store/sql/database.h"

namespace gprofhub::store {

// A finding of an inspection (store/upkeep/inspection.h).
struct SegmentFinding {
  bool is_damage = false;
  std::string kind;
  std::string subject;
  std::string advice;
};

// Returns the number of segments. Lists the archive once. Without an archive (null) it only reports
// whether one is needed. Segments without a row that changed at `filled_before` or later may still
// get their row.
absl::StatusOr<uint64_t> InspectSegments(sql::Database& database, ObjectStore* archive,
                                         absl::Time filled_before,
                                         const std::function<void(const SegmentFinding&)>& tell);

}  // namespace gprofhub::store
