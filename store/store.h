// Where everything is kept: one narrow interface with two implementations
// (SQLite with a blob folder; PostgreSQL) that pass one contract test suite.
//
// All methods are safe to call from several threads, and, for PostgreSQL, from
// several processes. A method that returns OK has made its effect durable; one
// that returns an error has had none. Errors: INVALID_ARGUMENT for what the
// caller did wrong, NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION as said
// below, RESOURCE_EXHAUSTED for a full disk, UNAVAILABLE for a database that
// cannot be reached (try again), INTERNAL and DATA_LOSS for the rest. The
// libraries' types and exceptions stop behind this interface.
//
// Texts are UTF-8 without NUL bytes, of at most 1,000 bytes; names (project,
// run key, commit, target, process, build-id) are not empty. Times are kept to
// the microsecond.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records.h"

namespace gprofhub {

// From the end of a run's last analysis to its report.
inline constexpr absl::Duration kReportDelay = absl::Seconds(10);

class Store {
 public:
  virtual ~Store() = default;

  // ---- Blobs ----

  // Those of `names` that the store does not hold, in the same order.
  virtual absl::StatusOr<std::vector<BlobName>> FindMissingBlobs(
      const std::vector<BlobName>& names) = 0;
  // The bytes; NOT_FOUND; DATA_LOSS if they no longer hash to the name.
  virtual absl::StatusOr<std::string> ReadBlob(const BlobName& name) = 0;

  // ---- Ingest ----

  // Makes the run, the execution, its profiles and images, the blobs and the
  // analysis job durable, all or nothing. The same execution again changes
  // nothing and says already_present. FAILED_PRECONDITION if a blob is neither
  // given nor held, or if the run exists with another commit, configuration or kind of
  // profiles;
  // ALREADY_EXISTS if the execution exists with other profiles. Every profile's
  // image must be given, and every blob be named by a profile or an image. Of
  // what else the first upload of a run or execution said, a later one changes
  // nothing.
  virtual absl::StatusOr<RecordedExecution> RecordExecution(const NewExecution& execution,
                                                            absl::Time now) = 0;

  // ---- Queue of analysis jobs ----

  // Gives the oldest job that is pending, or whose lease has run out, to
  // `worker` until now + lease; nullopt if there is none. A job claimed
  // `max_attempts` times without an end becomes failed ("dead letter"); when
  // more data arrives for its target, it is pending and counts from 1 again.
  virtual absl::StatusOr<std::optional<Job>> ClaimJob(absl::string_view worker, absl::Time now,
                                                      absl::Duration lease,
                                                      uint32_t max_attempts) = 0;
  // FAILED_PRECONDITION if the job is no longer this worker's.
  virtual absl::Status ExtendLease(const Job& job, absl::Time now, absl::Duration lease) = 0;
  // Stores the result and ends the job in one step; where more data arrived
  // since it was claimed, it becomes pending again. FAILED_PRECONDITION as above.
  virtual absl::Status CompleteJob(const Job& job, const AnalysisResult& result,
                                   absl::Time now) = 0;
  // Ends this attempt: with `retry`, or where more data arrived since it was
  // claimed, the job becomes pending again (the youngest), otherwise failed with
  // `error`, in which what is no UTF-8 becomes '?'. FAILED_PRECONDITION as above.
  virtual absl::Status FailJob(const Job& job, absl::string_view error, bool retry,
                               absl::Time now) = 0;
  // Everything the analysis of a target reads: of each (run number, shard) the
  // last attempt. NOT_FOUND.
  virtual absl::StatusOr<TargetData> ReadTargetData(int64_t run_id, absl::string_view target) = 0;

  // ---- Reading ----

  virtual absl::StatusOr<RunRecord> ReadRun(int64_t run_id) = 0;
  // Newest first (by commit time where known, else start; then id). The filter
  // must name a project.
  virtual absl::StatusOr<std::vector<RunRecord>> ListRuns(const RunFilter& filter) = 0;
  // The mainline runs (no pull request, no fork) of `commits` in this configuration, of
  // counted profiles, at most `limit`: in the order of the commits, of one commit the
  // newest first.
  virtual absl::StatusOr<std::vector<RunRecord>> FindBaselineRuns(
      absl::string_view project, absl::string_view configuration,
      const std::vector<std::string>& commits, uint32_t limit) = 0;
  // By label. NOT_FOUND.
  virtual absl::StatusOr<std::vector<TargetRecord>> ListTargets(int64_t run_id) = 0;
  // Segments of one bucket for the given runs, in their order and by label, of
  // one target or (empty) all.
  virtual absl::StatusOr<std::vector<PointSegment>> ReadSegments(
      const std::vector<int64_t>& run_ids, absl::string_view target, uint32_t bucket) = 0;

  // ---- Reports on pull requests ----

  // A report job comes into being, or is due once more, when the last analysis
  // job of a run with a pull request ends, kReportDelay later: more of the run
  // may be on its way. A run of sampled profiles has none. Gives the one that is due first, or whose lease has run
  // out, to `worker` until now + lease; nullopt if there is none.
  virtual absl::StatusOr<std::optional<ReportJob>> ClaimReportJob(absl::string_view worker,
                                                                  absl::Time now,
                                                                  absl::Duration lease) = 0;
  // FAILED_PRECONDITION if the job is no longer this worker's.
  virtual absl::Status ExtendReportLease(const ReportJob& job, absl::Time now,
                                         absl::Duration lease) = 0;
  // Ends this attempt. Where the run was analysed anew since the job was claimed,
  // it is pending again whatever the outcome. FAILED_PRECONDITION as above.
  virtual absl::Status FinishReportJob(const ReportJob& job, const ReportOutcome& outcome,
                                       absl::Time now) = 0;

  // ---- What was gated, and what people said to it ----

  // Gives the record its id. One whose source the project has already changes
  // nothing and gives the id of that one.
  virtual absl::StatusOr<int64_t> AddAcknowledgement(const AcknowledgementRecord& record) = 0;
  // All of the project, oldest first.
  virtual absl::StatusOr<std::vector<AcknowledgementRecord>> ListAcknowledgements(
      absl::string_view project) = 0;
  // Of records that are alike but for the run the first stays.
  virtual absl::Status AddGated(const std::vector<GatedRecord>& records) = 0;
  // All of the project, in the order of their first runs.
  virtual absl::StatusOr<std::vector<GatedRecord>> ListGated(absl::string_view project) = 0;

  // ---- Tokens ----

  virtual absl::StatusOr<TokenRecord> CreateToken(absl::string_view project,
                                                  absl::string_view label,
                                                  absl::string_view token_sha256,
                                                  absl::Time now) = 0;
  // The token with this hash, unless revoked; NOT_FOUND.
  virtual absl::StatusOr<TokenRecord> FindToken(absl::string_view token_sha256) = 0;
  virtual absl::StatusOr<std::vector<TokenRecord>> ListTokens(absl::string_view project) = 0;
  virtual absl::Status RevokeToken(int64_t token_id) = 0;
  // Whether any token was ever created (revoked ones included): then the
  // collector asks for one.
  virtual absl::StatusOr<bool> HasTokens() = 0;
};

// Opens the store that `location` names and brings its schema up to date:
// "sqlite:DIR" (or a plain directory), or "postgresql://…".
absl::StatusOr<std::unique_ptr<Store>> OpenStore(absl::string_view location);

}  // namespace gprofhub
