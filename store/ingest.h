// Ingestion of executions.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/records/records.h"

namespace gprofhub::store {

namespace sql {
class BlobBytes;
class Database;
}  // namespace sql

// A part of the store: store.h documents what all parts guarantee.
class Ingest {
 public:
  Ingest(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes);

  // Makes the run, the execution, its profiles and images, the blobs and the analysis job durable,
  // atomically. The same execution again changes nothing, and the result has already_present set. A
  // later upload does not change the data of the run or of the execution.
  //
  // A cached execution without profiles gets those of an earlier execution that is the same
  // measurement, if there is one (store/sql/follow_up_rows.h).
  //
  // Every profile's image must be included. Every blob must be named by a profile or an image.
  // FAILED_PRECONDITION if the bytes of a blob are neither included nor were sent by the project
  // before, or if the run exists with another commit, configuration or kind of profiles.
  // ALREADY_EXISTS if the execution exists with other profiles, or another known status or
  // duration. PERMISSION_DENIED if the run exists with another trust: the first execution of a run
  // decides whether it is of the main line, of which pull request, and whether of a fork.
  absl::StatusOr<RecordedExecution> RecordExecution(const NewExecution& execution,
                                                    absl::Time now) const;

  // Marks the run as complete: its report need not wait for more executions (report_queue.h). An
  // execution that arrives nevertheless reopens it. NOT_FOUND if the project has no such run.
  absl::Status FinishRun(absl::string_view project, int64_t run_id, absl::Time now) const;

  // Bytes that the project has sent and the store has: of blobs, rows of runs and executions, build
  // events, gated findings, culprits and acknowledgements. Blobs that several projects have sent
  // count for each of them.
  absl::StatusOr<uint64_t> SentBytes(absl::string_view project) const;

 private:
  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<sql::BlobBytes> bytes_;
};

}  // namespace gprofhub::store
