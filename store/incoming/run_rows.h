// The run of an uploaded execution.
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

// The data that `run` views outlives the statements.
//
// Adds the execution's run, unless it is there. Gives a row if it was not.
Statement AddRunUnlessThere(const NewExecution& execution, absl::Time now);
// Finds it. `lock` is empty or of the Dialect.
Statement FindRun(const RunRecord& run, absl::string_view lock);

// The row of FindRun; nullopt if it does not exist. FAILED_PRECONDITION if it has another commit,
// configuration or kind of profiles. PERMISSION_DENIED if it has another trust.
absl::StatusOr<std::optional<FoundRun>> CheckRun(const Rows& rows, const RunRecord& run);

// Sends the updates of the locked run that follow from an added execution. A new run gets its
// ancestors, a finished one is open again, and the counts of a counted one are invalid. Adds audit
// events for a new run, and for an execution of another sender than the run's first.
absl::Status JoinRun(Session& session, const FoundRun& run, bool is_new,
                     const NewExecution& execution, absl::Time now);

}  // namespace gprofhub::store::sql
