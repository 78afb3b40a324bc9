// The relational database of the store's parts. SQLite and PostgreSQL implement it; the parts are
// written once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "store/records/records.h"
#include "store/sql/rows.h"

namespace gprofhub::store::sql {

// A parameter of a statement: a number, a text (UTF-8 without NUL) or bytes.
struct Bytes {
  absl::string_view value;
};
using Parameter = std::variant<int64_t, absl::string_view, Bytes>;

// A statement whose parameters are $1, $2, …. The data that the parameters view outlives it.
struct Statement {
  std::string sql;
  std::vector<Parameter> parameters;
};

// An open transaction, used by one thread.
class Session {
 public:
  virtual ~Session() = default;

  // Runs one statement whose parameters are $1, $2, …, and returns its rows.
  virtual absl::StatusOr<Rows> Query(absl::string_view sql,
                                     absl::Span<const Parameter> parameters) = 0;
  // Runs statements one after the other, and returns the rows of each. A remote database gets all
  // of them in one round trip.
  virtual absl::StatusOr<std::vector<Rows>> QueryAll(absl::Span<const Statement> statements);
  // Runs a statement without rows, asynchronously: its error may come later, from another statement
  // or from the end of the transaction. A remote database gets it in one batch with the next
  // statements.
  virtual absl::Status Send(absl::string_view sql, absl::Span<const Parameter> parameters);
  // Adds the row of a blob, unless it exists; as Send. A delta-encoded
  // (store/delta/delta_encoding.h) or archived (store/archive/archiving.h) blob is whole again. If
  // BlobBytes::Stages, call Stage with the bytes before.
  virtual absl::Status AddBlob(const Blob& blob) = 0;

  // Removes a blob's bytes; as Send. Its row stays: a row of blob_delta has their encoding, or one
  // of archived_blob their location.
  virtual absl::Status RemoveBlobBytes(const BlobName& name) = 0;

  // Query for a statement without rows.
  absl::Status Execute(absl::string_view sql, absl::Span<const Parameter> parameters) {
    return Query(sql, parameters).status();
  }
};

// Differences between the two SQL dialects.
struct Dialect {
  // Ends a SELECT. Locks its rows against changes by other transactions until this one ends.
  absl::string_view for_update;
  // The same, but skips rows that other transactions have locked.
  absl::string_view for_update_skip_locked;
  // A shared lock, also against changes of keys only: a transaction that locks the rows for update
  // waits for all holders.
  absl::string_view for_key_share;
  // A table expression. It makes a table "list" of parameter $1, a JSON array of arrays
  // (JsonTable). The columns are position (ascending) and item (item ->> n is the n-th element).
  absl::string_view list;
};

// Use of a database's connections by this process.
struct Connections {
  uint32_t used = 0;
  uint32_t idle = 0;
  uint32_t waiting = 0;  // transactions that wait for a connection
};

class Database {
 public:
  virtual ~Database() = default;

  virtual const Dialect& dialect() const = 0;

  // Runs `work` in a transaction. If `work` fails, the transaction is rolled back. If `work` is a
  // single statement, it sees one snapshot of the database. After a conflict with another
  // transaction or a lost connection `work` runs again. So it must reset its results each time.
  using Work = std::function<absl::Status(Session&)>;
  virtual absl::Status Read(const Work& work) = 0;
  virtual absl::Status Write(const Work& work) = 0;

  // Offset of the database's clock from this process's. Zero where they are the same clock, or
  // nearly. Several processes whose clocks differ agree on times of the database's clock.
  virtual absl::Duration ClockSkew() = 0;
  // Whether the database is reachable; blocks until it answers. The error contains the reason.
  virtual absl::Status Check() = 0;
  virtual Connections connections() const = 0;
  // Local folder of its files; empty: not on this machine.
  virtual std::string folder() const = 0;
  // Damage that the engine's own check reports; empty where that is the server's task.
  virtual absl::StatusOr<std::vector<std::string>> CheckIntegrity() = 0;
};

// Rows of texts (UTF-8) as the JSON array of arrays that Dialect::list reads.
std::string JsonTable(absl::Span<const std::vector<std::string>> rows);
// The same for a table of one column.
std::string JsonColumn(absl::Span<const std::string> texts);
std::string JsonColumn(absl::Span<const int64_t> numbers);

}  // namespace gprofhub::store::sql
