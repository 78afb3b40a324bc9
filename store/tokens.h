// API tokens, stored by their hash, and the audit log.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"

namespace gprofhub::store {

// The audit log: actor, action, subject, time and origin. Rows are append-only: the database itself
// refuses UPDATE and DELETE.
//
// Every method that records an audited action writes its row in the same transaction
// (store/sql/database.h):
//
//   run.create, run.extend       an upload's first execution; one by another sender than the first
//   run.delete                   a run was deleted
//   acknowledgement.add, acknowledgement.take-back
//   token.create, token.rotate, token.scope, token.revoke
//   job.requeue, report.repost, notification.repost     store/upkeep.h
//   project.delete                                      store/open_store.h
//   profile.delete, retention.set, retention.remove     store/retention.h
//   blob.delete                                         store/garbage.h
//   store.backup, store.restore                         store/copy_rows.h
//
// Denied requests are counted (collector/access/authorizer.h): action "refused".

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

// API tokens, stored by their hash.

namespace sql {
class Database;
}

// A part of the store: store.h documents what all parts guarantee.
class Tokens {
 public:
  explicit Tokens(std::shared_ptr<sql::Database> database);

  // Stores the token, and returns it with its id. ALREADY_EXISTS if the hash exists.
  absl::StatusOr<TokenRecord> Create(const TokenRecord& token, const Actor& by) const;

  // The token with this hash, expired or not, unless revoked; NOT_FOUND.
  absl::StatusOr<TokenRecord> Find(absl::string_view token_sha256) const;

  // NOT_FOUND. A revoked one is there, too.
  absl::StatusOr<TokenRecord> Read(int64_t token_id) const;

  // Records the token's use at `now`, unless one less than kTokenUseGrain before is recorded.
  absl::Status KeepUse(int64_t token_id, absl::Time now) const;

  // Replaces the old token by `token`: the old one expires at `old_expires`, or at its own end if
  // that is earlier. NOT_FOUND; FAILED_PRECONDITION if the old one is revoked or was rotated
  // before; else as Create.
  absl::StatusOr<TokenRecord> Rotate(int64_t old_id, const TokenRecord& token,
                                     absl::Time old_expires, const Actor& by) const;

  // Sets the token's rights. NOT_FOUND.
  absl::Status SetScopes(int64_t token_id, absl::string_view scopes, const Actor& by,
                         absl::Time now) const;

  // All of the project, or of all projects if it is empty; revoked ones included, oldest first.
  absl::StatusOr<std::vector<TokenRecord>> List(absl::string_view project) const;

  // Revoking a token twice changes nothing. NOT_FOUND.
  absl::Status Revoke(int64_t token_id, const Actor& by, absl::Time now) const;

  // Whether any token was ever created, revoked ones included. If so, the collector requires one.
  absl::StatusOr<bool> WereCreated() const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
