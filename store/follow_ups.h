// The rows of gate_records.h about what followed a report: that tests are to be run again, and with
// which commit a change came.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store {

// The methods of GateRecords, within a transaction.
absl::StatusOr<int64_t> AddRerunRequestIn(sql::Session& session, const RerunRequestRecord& record);
absl::StatusOr<std::vector<RerunRequestRecord>> RerunRequestsOf(sql::Session& session,
                                                                absl::string_view project,
                                                                absl::string_view pull_request);
absl::Status NoteStartIn(sql::Session& session, int64_t id, RerunRequestRecord::Start start,
                         absl::string_view note);
absl::StatusOr<int64_t> AddCulpritIn(sql::Session& session, const CulpritRecord& record);
absl::StatusOr<std::vector<CulpritRecord>> CulpritsOf(sql::Session& session,
                                                      absl::string_view project);

}  // namespace gprofhub::store
