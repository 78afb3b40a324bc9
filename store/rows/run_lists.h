// Runs by a filter: complete rows, or only the fields that a history needs.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/history.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// The columns of the filter's runs, in the filter's order.
absl::StatusOr<Rows> ListRunRows(Session& session, absl::string_view columns,
                                 const RunFilter& filter);

absl::StatusOr<std::vector<RunHead>> ListRunHeads(Session& session, const RunFilter& filter);

absl::StatusOr<std::vector<RunState>> ListRunStates(Session& session, const RunFilter& filter);

}  // namespace gprofhub::store::sql
