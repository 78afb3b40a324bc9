// Upload tokens, known by their hash.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records.h"
#include "store/sql/database.h"

namespace gprofhub::sql {

// As the Store's methods of these names.
absl::StatusOr<TokenRecord> CreateToken(Session& session, absl::string_view project,
                                        absl::string_view label, absl::string_view token_sha256,
                                        absl::Time now);
absl::StatusOr<TokenRecord> FindToken(Session& session, absl::string_view token_sha256);
absl::StatusOr<std::vector<TokenRecord>> ListTokens(Session& session, absl::string_view project);
absl::Status RevokeToken(Session& session, int64_t token_id);
absl::StatusOr<bool> HasTokens(Session& session);

}  // namespace gprofhub::sql
