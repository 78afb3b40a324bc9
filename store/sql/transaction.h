// Transactions with a result.
#pragma once

#include <type_traits>

#include "absl/status/status.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Runs `work` in Database::Read. `work` returns an absl::StatusOr. The result is that of `work`,
// or the transaction's error.
template <typename Work>
std::invoke_result_t<Work, Session&> ReadIn(Database& database, const Work& work) {
  std::invoke_result_t<Work, Session&> result;
  absl::Status status = database.Read([&](Session& session) {
    result = work(session);
    return result.status();
  });
  if (!status.ok()) return status;
  return result;
}

// The same in Database::Write.
template <typename Work>
std::invoke_result_t<Work, Session&> WriteIn(Database& database, const Work& work) {
  std::invoke_result_t<Work, Session&> result;
  absl::Status status = database.Write([&](Session& session) {
    result = work(session);
    return result.status();
  });
  if (!status.ok()) return status;
  return result;
}

}  // namespace gprofhub::store::sql
