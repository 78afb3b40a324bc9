// Rows of gate_records.h about follow-ups of a report: rerun requests and culprits.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// The methods of GateRecords, within a transaction.
absl::StatusOr<int64_t> AddRerunRequestIn(Session& session, const RerunRequestRecord& record);
absl::StatusOr<std::vector<RerunRequestRecord>> RerunRequestsOf(Session& session,
                                                                absl::string_view project,
                                                                absl::string_view pull_request);
absl::Status NoteStartIn(Session& session, int64_t id, RerunRequestRecord::Start start,
                         absl::string_view note);
absl::StatusOr<int64_t> AddCulpritIn(Session& session, const CulpritRecord& record);
absl::StatusOr<std::vector<CulpritRecord>> CulpritsOf(Session& session, absl::string_view project);

}  // namespace gprofhub::store::sql
