// What the store's readers ask for.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records.h"
#include "store/sql/database.h"

namespace gprofhub::sql {

// As the Store's methods of these names.
absl::StatusOr<TargetData> ReadTargetData(Session& session, int64_t run_id,
                                          absl::string_view target);
absl::StatusOr<RunRecord> ReadRun(Session& session, int64_t run_id);
absl::StatusOr<std::vector<RunRecord>> ListRuns(Session& session, const RunFilter& filter);
absl::StatusOr<std::vector<RunRecord>> FindBaselineRuns(Session& session, const Dialect& dialect,
                                                        absl::string_view project,
                                                        absl::string_view configuration,
                                                        const std::vector<std::string>& commits,
                                                        uint32_t limit);
absl::StatusOr<std::vector<TargetRecord>> ListTargets(Session& session, int64_t run_id);
absl::StatusOr<std::vector<PointSegment>> ReadSegments(Session& session, const Dialect& dialect,
                                                       const std::vector<int64_t>& run_ids,
                                                       absl::string_view target, uint32_t bucket);

}  // namespace gprofhub::sql
