// The run that an execution comes for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// A run that is there.
struct FoundRun {
  int64_t id = 0;
  std::string sender;
  bool finished = false;    // FinishRun (store/sql/due_reports.h)
  bool is_counted = false;  // its targets are, as they are (store/rows/run_counts.h)
};

// nullopt if there is none. FAILED_PRECONDITION if it has another commit, configuration or kind of
// profiles. PERMISSION_DENIED if it has another trust. `lock` is empty or of the Dialect.
absl::StatusOr<std::optional<FoundRun>> FindRun(Session& session, absl::string_view lock,
                                                const RunRecord& run);

// Adds the execution's run, or finds it, and locks it as far as nobody counts its targets until the
// transaction ends. One that was finished is open again; one that was counted is not any more. The
// audit log is told of a new run, and of an execution that comes from another sender than the run's
// first. Errors as FindRun.
absl::StatusOr<int64_t> AddRun(Session& session, const Dialect& dialect,
                               const NewExecution& execution, absl::Time now);

}  // namespace gprofhub::store::sql
