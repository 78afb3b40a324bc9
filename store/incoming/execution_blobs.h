// The blobs of an execution during its upload.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// The blobs of the execution's images and profiles, each once, ordered by name: all uploads add
// their blobs in that order, so they cannot deadlock.
class ExecutionBlobs {
 public:
  // `execution` outlives it.
  explicit ExecutionBlobs(const NewExecution& execution);

  // The statements that are due for them.
  struct Due {
    std::vector<const Blob*> to_add;  // the project has not sent them before
    bool to_mark = false;             // garbage collection has marked some
  };
  // Asks for that. The statement views this.
  Statement Find(const Dialect& dialect) const;
  // Turns the results of Find into statements. FAILED_PRECONDITION if the bytes of a blob to add
  // are missing.
  absl::StatusOr<Due> ToDo(const Rows& found) const;

  // Sends it. A blob that existed and was collected since is an error of the transaction, after
  // which it runs again (Database::Write).
  absl::Status Send(Session& session, const Dialect& dialect, const Due& due) const;

 private:
  const NewExecution& execution_;
  std::vector<BlobName> names_;
  std::string list_;  // the same for Dialect::list
};

}  // namespace gprofhub::store::sql
