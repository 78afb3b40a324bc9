// Copies all rows of one store into another, of which one is SQLite's and the other may be
// PostgreSQL's.
//
// The tables and their columns are those of the SQLite database: both engines have the same, except
// for the bytes of blobs, which are files for SQLite. A new table is copied without a change here.
// Files uploaded by Bazel (store/transfers/) are not copied.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store {

struct RowCopy {
  sql::Session* from = nullptr;
  sql::Session* to = nullptr;
  // The one of the two that is SQLite's.
  sql::Session* sqlite = nullptr;
  bool to_postgres = false;
  // The bytes of a blob, for PostgreSQL's rows; nullopt if it is a delta.
  std::function<absl::StatusOr<std::optional<std::string>>(const BlobName&)> bytes_of;
  // Is called with each table and now and then. An error ends the copy.
  std::function<absl::Status(absl::string_view table)> pulse;
};

// Returns how many rows were copied. To be called within a transaction of each. `to` has the same
// schema and no rows.
absl::StatusOr<uint64_t> CopyRows(const RowCopy& copy);

// FAILED_PRECONDITION, naming a table, if one of the SQLite schema's tables has rows in `session`;
// the store's properties do not count.
absl::Status CheckIsEmpty(sql::Session& sqlite, sql::Session& session);

}  // namespace gprofhub::store
