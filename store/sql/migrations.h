// Versioned schemas. An engine's schema is a numbered list of steps. Each step is applied once,
// in a transaction of its own, which also records the step's number.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gprofhub::store {

struct Migration {
  int64_t version;        // 1 for the first, without gaps
  absl::string_view sql;  // statements that lead from version - 1 to version
};

// The step that leads on from `version`; nullptr if there is none. FAILED_PRECONDITION, naming
// both versions, if the database is newer than the steps that this program knows.
//
// The caller opens a transaction that excludes every other migration. It reads the version,
// asks here, applies the step, records its version and commits. It starts over until there is
// no step. So any number of processes may start at once on an old database.
absl::StatusOr<const Migration*> NextMigration(int64_t version, absl::Span<const Migration> steps);

}  // namespace gprofhub::store
