// Gated findings, and what followed: acknowledgements, rerun requests, and results of bisections.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"

namespace gprofhub::store {

namespace sql {
class Database;
}

// A part of the store: store.h documents what all parts guarantee.
class GateRecords {
 public:
  explicit GateRecords(std::shared_ptr<sql::Database> database);
  // The same for one call: nothing is read or written once `check` fails (sql::WithCheck).
  GateRecords WithCheck(std::function<absl::Status()> check) const;

  // Stores the record of the author `by` and returns its id. If the project has a record with this
  // source, nothing changes, and the result is that record's id; it may be revoked.
  absl::StatusOr<int64_t> AddAcknowledgement(const AcknowledgementRecord& record,
                                             const Actor& by) const;

  // Revokes the record. Revoking it twice changes nothing. NOT_FOUND if the project has no record
  // with this id.
  absl::Status TakeBackAcknowledgement(absl::string_view project, int64_t id, const Actor& by,
                                       absl::Time now) const;

  // Those of the project that were not taken back, oldest first.
  absl::StatusOr<std::vector<AcknowledgementRecord>> ListAcknowledgements(
      absl::string_view project) const;

  // The same with those that were.
  absl::StatusOr<std::vector<AcknowledgementRecord>> ListAllAcknowledgements(
      absl::string_view project) const;

  // Of records that differ in the run alone, the first is kept.
  absl::Status AddGated(const std::vector<GatedRecord>& records) const;

  // All of the project, in the order of their first runs.
  absl::StatusOr<std::vector<GatedRecord>> ListGated(absl::string_view project) const;

  // As AddAcknowledgement. `start`, `note` and `answered` are not taken over.
  absl::StatusOr<int64_t> AddRerunRequest(const RerunRequestRecord& record) const;

  // All of the pull request, oldest first.
  absl::StatusOr<std::vector<RerunRequestRecord>> ListRerunRequests(
      absl::string_view project, absl::string_view pull_request) const;

  // Records the outcome of restarting the CI job. NOT_FOUND.
  absl::Status NoteRerunStart(int64_t id, RerunRequestRecord::Start start,
                              absl::string_view note) const;

  // Stores the record of `by` and returns its id; of records that differ only in their results, the
  // newest, and the audit event has the commit that it replaces. The reports on branches that end
  // with the range, or continue after it, are queued again. A repeated record changes nothing.
  absl::StatusOr<int64_t> AddCulprit(const CulpritRecord& record, const Actor& by) const;

  // The newest 10,000 of the project, newest first.
  absl::StatusOr<std::vector<CulpritRecord>> ListCulprits(absl::string_view project) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
