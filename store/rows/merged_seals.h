// Merges small seals of a line into one. Points are sealed early, and merged later, as in a
// log-structured merge tree (O'Neil et al., 1996): few runs are open at any time, and reading a
// long history takes few rows.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Whether the target's line has at least `at` small seals.
absl::StatusOr<bool> HasSmallSeals(Session& session, int64_t run_id, absl::string_view label,
                                   uint32_t at);

// Merges the oldest half of the small seals of a target's line if there are at least `at`. Returns
// whether it did, or the error of `merge`.
absl::StatusOr<bool> MergeSeals(Session& session, const Dialect& dialect, int64_t run_id,
                                absl::string_view label, uint32_t at, const MergePoints& merge);

}  // namespace gprofhub::store::sql
