// The audit log: who did what, when, and from where. Rows are only ever added: the database itself
// refuses to change or to delete one.
//
// Whoever writes a deed to the store writes its row in the same transaction
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
// What was refused is counted (collector/access/refusals.h): action "refused".
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

// A part of the store: store.h says what holds for all of them.
class AuditLog {
 public:
  explicit AuditLog(std::shared_ptr<sql::Database> database);

  // Texts that cannot be stored are made so: '?' for what is not UTF-8, and cut.
  absl::Status Add(const std::vector<AuditRecord>& records) const;

  // Oldest first.
  absl::StatusOr<std::vector<AuditRecord>> List(const AuditFilter& filter) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
