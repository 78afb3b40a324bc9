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

// What `run` views outlives the statements.
//
// Adds the execution's run, unless it is there. Gives a row if it was not.
Statement AddRunUnlessThere(const NewExecution& execution, absl::Time now);
// Finds it. `lock` is empty or of the Dialect.
Statement FindRun(const RunRecord& run, absl::string_view lock);

// What FindRun has found; nullopt if there is none. FAILED_PRECONDITION if it has another commit,
// configuration or kind of profiles. PERMISSION_DENIED if it has another trust.
absl::StatusOr<std::optional<FoundRun>> CheckRun(const Rows& rows, const RunRecord& run);

// Sends what an execution that was added says of its run, which is locked. A new one has its
// ancestors. One that was finished is open again; one that was counted is not any more. The audit
// log is told of a new run, and of an execution that comes from another sender than the run's
// first.
absl::Status JoinRun(Session& session, const FoundRun& run, bool is_new,
                     const NewExecution& execution, absl::Time now);

}  // namespace gprofhub::store::sql
