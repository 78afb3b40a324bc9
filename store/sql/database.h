// The relational database of the store's parts. SQLite and PostgreSQL implement it; the parts are
// written once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "store/records/records.h"

namespace gprofhub::store::sql {

// The result of a query.

// One row. A column's type is the database's; NULL is monostate. The Rows that contain it outlive
// it and its views.
class Row {
 public:
  using Value = std::variant<std::monostate, int64_t, absl::string_view>;

  explicit Row(absl::Span<const Value> values) : values_(values) {}

  size_t size() const { return values_.size(); }
  // Unconverted.
  const Value& At(size_t column) const { return values_.at(column); }
  // The column must have the requested type. NULL gives 0 and "".
  int64_t Number(size_t column) const {
    const int64_t* number = std::get_if<int64_t>(&values_.at(column));
    return number == nullptr ? 0 : *number;
  }
  absl::string_view View(size_t column) const {
    const absl::string_view* text = std::get_if<absl::string_view>(&values_.at(column));
    return text == nullptr ? absl::string_view() : *text;
  }
  std::string Text(size_t column) const { return std::string(View(column)); }

 private:
  absl::Span<const Value> values_;
};

// The rows of a result, in order. A result of 10,000 rows is read in a few milliseconds: their
// texts share one buffer instead of a string each.
class Rows {
 public:
  class Iterator {
   public:
    using difference_type = ptrdiff_t;
    using value_type = Row;

    Iterator(const Rows* rows, size_t at) : rows_(rows), at_(at) {}
    Row operator*() const { return (*rows_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Rows* rows_;
    size_t at_;
  };

  // Of a result with `columns` columns, at least one.
  explicit Rows(size_t columns = 1)
      : columns_(columns), texts_(std::make_unique<std::pmr::monotonic_buffer_resource>()) {}

  size_t size() const { return values_.size() / columns_; }
  bool empty() const { return values_.empty(); }
  Row operator[](size_t row) const {
    return Row(absl::MakeConstSpan(values_).subspan(row * columns_, columns_));
  }
  Row front() const { return (*this)[0]; }
  Row back() const { return (*this)[size() - 1]; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

  // Appends the next value of the last row, or the first of a new row.
  void Add(std::monostate value) { values_.emplace_back(value); }
  void Add(int64_t number) { values_.emplace_back(number); }
  void Add(absl::string_view text) {
    if (text.empty()) {
      values_.emplace_back(absl::string_view(""));
      return;
    }
    char* copy = static_cast<char*>(texts_->allocate(text.size(), 1));
    std::memcpy(copy, text.data(), text.size());
    values_.emplace_back(absl::string_view(copy, text.size()));
  }

 private:
  size_t columns_;
  std::vector<Row::Value> values_;
  std::unique_ptr<std::pmr::monotonic_buffer_resource> texts_;
};

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
  // (store/archive/delta_encoding.h) or archived (store/archive/archiving.h) blob is whole again.
  // If BlobBytes::Stages, call Stage with the bytes before.
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

// The database for one call of a client: no transaction begins once `check` fails, whose error is
// the transaction's.
std::shared_ptr<Database> WithCheck(std::shared_ptr<Database> database,
                                    std::function<absl::Status()> check);

// Rows of texts (UTF-8) as the JSON array of arrays that Dialect::list reads.
std::string JsonTable(absl::Span<const std::vector<std::string>> rows);
// The same for a table of one column.
std::string JsonColumn(absl::Span<const std::string> texts);
std::string JsonColumn(absl::Span<const int64_t> numbers);

// Rows of the audit log (store/tokens.h), for the writers of audited actions: the row and the
// action are one transaction.

// An audited action. Sanitizes texts before they are stored: invalid UTF-8 becomes '?', and long
// texts are truncated.
struct Deed {
  absl::string_view project;
  absl::string_view action;
  absl::string_view subject;
  absl::string_view detail;
};

// As Session::Send.
absl::Status AddAuditRow(Session& session, const Actor& actor, const Deed& deed, absl::Time time);

// Storage of blob contents: files next to SQLite's database, or rows of PostgreSQL's. This is the
// second seam of the store. The rows that name the blobs belong to the database (Session::AddBlob).

// Content that lies outside the database. It may belong to a blob, or be unreferenced.
struct LooseBytes {
  std::string place;      // for people
  BlobName name;          // of the blob that they belong to by name; empty: none
  bool incoming = false;  // being written, or left over by a process that ended
  uint64_t size = 0;
  absl::Time changed;
};

struct RemovedBytes {
  uint64_t count = 0;
  uint64_t bytes = 0;
};

// Safe to use from several threads.
class BlobBytes {
 public:
  virtual ~BlobBytes() = default;

  // Whether Stage is needed for this blob: its bytes lie outside the database.
  virtual bool Stages(const Blob& blob) const = 0;
  // Prepares the bytes for Session::AddBlob in a later transaction. Bytes kept outside of the
  // database are durable after this call.
  virtual absl::Status Stage(absl::Span<const Blob* const> blobs) = 0;
  // The stored bytes, unchecked. NOT_FOUND if no row names the blob. nullopt if a row does but has
  // no bytes: they are delta-encoded (store/archive/held_blob.h), archived, or lost.
  virtual absl::StatusOr<std::optional<std::string>> Read(const BlobName& name) = 0;

  // Number of partitions of the bytes outside the database; 0: there are no such bytes.
  virtual int parts() const = 0;
  // Lists one part, unordered. Empty if the part does not exist.
  virtual absl::StatusOr<std::vector<LooseBytes>> List(int part) = 0;
  // Removes the files of these names if no row of a whole blob names them and they were last
  // changed before `changed_before`. Safe against a concurrent transaction that adds the row:
  // Session::AddBlob and this exclude each other, and the former restores missing bytes.
  virtual absl::StatusOr<RemovedBytes> RemoveUnnamed(absl::Span<const BlobName> names,
                                                     absl::Time changed_before) = 0;
  // Removes unfinished writes of processes that ended before then.
  virtual absl::StatusOr<RemovedBytes> RemoveIncoming(absl::Time changed_before) = 0;
};

// The rows of blobs, and of the projects' rights to them.

// A condition on a row of blob: its bytes are where an upload put them, neither delta-encoded nor
// archived.
inline constexpr absl::string_view kIsWhole =
    "NOT EXISTS (SELECT 1 FROM blob_delta WHERE blob_delta.name = blob.name) "
    "AND NOT EXISTS (SELECT 1 FROM archived_blob WHERE archived_blob.name = blob.name)";

// A table expression without parentheses: the blobs that the executions and the result of target $1
// reference, as kind ("bundle", "profile" or "result") and name.
inline constexpr absl::string_view kNamedByTarget =
    "SELECT 'bundle' AS kind, image.bundle AS name FROM execution "
    "JOIN image ON image.execution_id = execution.id WHERE execution.target_id = $1 "
    "UNION ALL SELECT 'profile', profile.gmon FROM execution "
    "JOIN profile ON profile.execution_id = execution.id WHERE execution.target_id = $1 "
    "UNION ALL SELECT 'result', computed FROM target "
    "WHERE target.id = $1 AND computed IS NOT NULL";

// The blobs of `names` that have rows, in order. Until the transaction ends none of them is
// removed, delta-encoded, archived or replaced.
absl::StatusOr<std::vector<BlobName>> LockBlobs(Session& session, const Dialect& dialect,
                                                const std::vector<BlobName>& names);

// Returns those of `names` that the project has not uploaded, in the same order.
absl::StatusOr<std::vector<BlobName>> FindMissingBlobs(Session& session, const Dialect& dialect,
                                                       absl::string_view project,
                                                       const std::vector<BlobName>& names);

// The same, and those of them that garbage collection has marked: an uploader that asks about them
// now sends them again, so they may be removed (store/garbage.h).
absl::StatusOr<std::vector<BlobName>> FindBlobsToSend(Session& session, const Dialect& dialect,
                                                      absl::string_view project,
                                                      const std::vector<BlobName>& names);

// For transactions that add references. A row for each of the JSON column `names`, in the same
// order: the name, 1 if the project has not sent it, 1 if garbage collection has marked it. The
// arguments must outlive the statement.
Statement FindBlobsToAdd(const Dialect& dialect, absl::string_view project,
                         absl::string_view names);

// Removes the garbage collection's mark of blobs with new references. As Session::Send.
absl::Status MarkAsUsed(Session& session, const Dialect& dialect,
                        const std::vector<BlobName>& names);

// Records that the project has sent these blobs, which have rows. The names are ordered, so that
// transactions do not deadlock. As Session::Send.
absl::Status AddBlobRights(Session& session, const Dialect& dialect, absl::string_view project,
                           const std::vector<BlobName>& names);

// Texts that can be stored: UTF-8 without NUL, which PostgreSQL does not store.

// Length in bytes of the first character of `text`; 0 if it cannot be stored.
size_t StorableCharacter(absl::string_view text);

// Makes `text` storable, for messages that quote foreign bytes. NUL bytes and bytes that are not
// UTF-8 become '?'. The text is cut to `max_bytes`.
std::string CleanText(absl::string_view text, size_t max_bytes);

// Transactions with a result.

// Runs `work` in Database::Read. `work` returns an absl::StatusOr. The result is that of `work`,
// or the transaction's error.
template <typename Work>
std::invoke_result_t<Work, Session&> ReadIn(Database& database, const Work& work) {
  std::invoke_result_t<Work, Session&> result;
  RETURN_IF_ERROR(database.Read([&](Session& session) {
    result = work(session);
    return result.status();
  }));
  return result;
}

// The same in Database::Write.
template <typename Work>
std::invoke_result_t<Work, Session&> WriteIn(Database& database, const Work& work) {
  std::invoke_result_t<Work, Session&> result;
  RETURN_IF_ERROR(database.Write([&](Session& session) {
    result = work(session);
    return result.status();
  }));
  return result;
}

}  // namespace gprofhub::store::sql
