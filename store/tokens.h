// Upload tokens, known by their hash.
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

namespace sql {
class Database;
}

// A part of the store: store.h says what holds for all of them.
class Tokens {
 public:
  explicit Tokens(std::shared_ptr<sql::Database> database);

  // ALREADY_EXISTS if there is a token with this hash.
  absl::StatusOr<TokenRecord> Create(absl::string_view project, absl::string_view label,
                                     absl::string_view token_sha256, absl::Time now) const;

  // The token with this hash, unless revoked; NOT_FOUND.
  absl::StatusOr<TokenRecord> Find(absl::string_view token_sha256) const;

  // All of the project, revoked ones included, oldest first.
  absl::StatusOr<std::vector<TokenRecord>> List(absl::string_view project) const;

  // Revoking a token twice changes nothing. NOT_FOUND.
  absl::Status Revoke(int64_t token_id) const;

  // Whether any token was ever created, revoked ones included. If so, the collector asks for
  // one.
  absl::StatusOr<bool> WereCreated() const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
