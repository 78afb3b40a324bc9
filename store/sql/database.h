// A relational database as the store's parts see it. SQLite and PostgreSQL implement it.
// Everything above is written once.
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

// A statement whose parameters are $1, $2, …. What the parameters view outlives it.
struct Statement {
  std::string sql;
  std::vector<Parameter> parameters;
};

// An open transaction, used by one thread.
class Session {
 public:
  virtual ~Session() = default;

  // Runs one statement whose parameters are $1, $2, …, and gives its rows.
  virtual absl::StatusOr<Rows> Query(absl::string_view sql,
                                     absl::Span<const Parameter> parameters) = 0;
  // Runs statements one after the other, and gives the rows of each. Where the database is asked
  // over a line, all of them are one question.
  virtual absl::StatusOr<std::vector<Rows>> QueryAll(absl::Span<const Statement> statements);
  // Runs a statement without rows, for which nobody waits: its error may come later, from another
  // statement or from the end of the transaction. Where the database is asked over a line, it goes
  // with what follows.
  virtual absl::Status Send(absl::string_view sql, absl::Span<const Parameter> parameters);
  // Adds the row of a blob, unless it is there; as Send. A delta (store/delta/delta_encoding.h) or
  // an archived blob (store/archive/archiving.h) becomes whole. If BlobBytes::Stages, Stage should
  // have had the bytes.
  virtual absl::Status AddBlob(const Blob& blob) = 0;

  // Removes a blob's bytes; as Send. Its row stays: one of blob_delta says what they were, or one
  // of archived_blob where they are.
  virtual absl::Status RemoveBlobBytes(const BlobName& name) = 0;

  // Query for a statement without rows. OK: it was run.
  absl::Status Execute(absl::string_view sql, absl::Span<const Parameter> parameters) {
    return Query(sql, parameters).status();
  }
};

// Where the two dialects differ.
struct Dialect {
  // Ends a SELECT. Nobody else may change its rows before the transaction ends.
  absl::string_view for_update;
  // The same, but rows that others hold are left out.
  absl::string_view for_update_skip_locked;
  // The same, but others may lock them so, too, and change what is no key: whoever takes them for
  // update waits for all of these.
  absl::string_view for_key_share;
  // A table expression. It makes a table "list" of parameter $1, a JSON array of arrays
  // (JsonTable). The columns are position (ascending) and item (item ->> n is the n-th element).
  absl::string_view list;
};

// How a database's connections are used by this process.
struct Connections {
  uint32_t used = 0;
  uint32_t idle = 0;
  uint32_t waiting = 0;  // work that waits for one
};

class Database {
 public:
  virtual ~Database() = default;

  virtual const Dialect& dialect() const = 0;

  // Runs `work` in a transaction. If `work` fails, the transaction is undone. If `work` is a
  // single statement, it sees one state of the database. A conflict with another transaction or
  // a lost connection may undo it: then `work` runs again. So it must set its results anew each
  // time.
  using Work = std::function<absl::Status(Session&)>;
  virtual absl::Status Read(const Work& work) = 0;
  virtual absl::Status Write(const Work& work) = 0;

  // How far the database's clock is ahead of this process's. Zero where they are one, or nearly.
  // Several processes whose clocks differ agree on times of the database's clock.
  virtual absl::Duration ClockSkew() = 0;
  // Whether it is still there and answers; blocks as long as it does not. The error says what is
  // wrong.
  virtual absl::Status Check() = 0;
  virtual Connections connections() const = 0;
  // Where on this machine its files lie; empty: not on this machine.
  virtual std::string folder() const = 0;
  // What the engine itself finds damaged; empty where its server looks after that.
  virtual absl::StatusOr<std::vector<std::string>> CheckIntegrity() = 0;
};

// Rows of texts (UTF-8) as the JSON array of arrays that Dialect::list reads.
std::string JsonTable(absl::Span<const std::vector<std::string>> rows);
// The same for a table of one column.
std::string JsonColumn(absl::Span<const std::string> texts);
std::string JsonColumn(absl::Span<const int64_t> numbers);

}  // namespace gprofhub::store::sql
