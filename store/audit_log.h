// The audit log: actor, action, subject, time and origin. Rows are append-only: the database itself
// refuses UPDATE and DELETE.
//
// Every method that records an audited action writes its row in the same transaction
// (store/sql/audit_rows.h):
//
//   run.create, run.extend       an upload's first execution; one by another sender than the first
//   run.delete                   a run was deleted
//   acknowledgement.add, acknowledgement.take-back
//   token.create, token.rotate, token.scope, token.revoke
//   job.requeue, report.repost, notification.repost     store/upkeep/dead_letters.h
//   project.delete                                      store/removal.h
//   profile.delete, retention.set, retention.remove     store/upkeep/retention.h
//   blob.delete                                         store/upkeep/garbage.h
//   store.backup, store.restore                         store/upkeep/backup.h
//
// Denied requests are counted (collector/access/refusals.h): action "refused".
#pragma once

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "store/records/records.h"

namespace gprofhub::store {

namespace sql {
class Database;
}

// A part of the store: store.h documents what all parts guarantee.
class AuditLog {
 public:
  explicit AuditLog(std::shared_ptr<sql::Database> database);

  // Sanitizes texts before they are stored: invalid UTF-8 becomes '?', and long texts are
  // truncated.
  absl::Status Add(const std::vector<AuditRecord>& records) const;

  // Oldest first.
  absl::StatusOr<std::vector<AuditRecord>> List(const AuditFilter& filter) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
