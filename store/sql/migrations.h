// Versioned schemas: an engine's schema is a numbered list of steps. Each step
// is applied once, in a transaction of its own that also records its number.
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

// The step that leads on from `version`; nullptr where `steps` leads no
// further. FAILED_PRECONDITION naming both versions if the database is newer
// than the steps this program knows.
//
// The caller opens a transaction that excludes every other migration, reads
// the version in it, asks here, applies the step, records its version, commits,
// and starts over until there is no step: so any number of processes may start
// at once on an old database.
absl::StatusOr<const Migration*> NextMigration(int64_t version, absl::Span<const Migration> steps);

}  // namespace gprofhub::store
