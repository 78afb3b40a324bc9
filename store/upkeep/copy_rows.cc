#include "store/upkeep/copy_rows.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "store/sqlite/small_blobs.h"

namespace gprofhub::store {
namespace {

using sql::Parameter;
using sql::Row;
using sql::Rows;
using sql::Session;

constexpr int64_t kRowsAtOnce = 100;
// The new store has its own rows there.
constexpr absl::string_view kOfItself = "property";
// Files uploaded by Bazel are consumed or expire within a day.
constexpr absl::string_view kPassing = "transfer_";

// Only SQLite has it. Blobs' bytes are copied with the blobs.
constexpr absl::string_view kOfSqlite = sqlite::kSmallBlobTable;

struct Column {
  std::string name;
  bool is_bytes = false;
};

struct Table {
  std::string name;
  std::vector<Column> columns;
  std::vector<size_t> key;  // the columns of its primary key, in their order
  std::set<std::string> refers_to;
};

absl::StatusOr<Table> Describe(Session& sqlite, const std::string& name) {
  const absl::StatusOr<Rows> columns =
      sqlite.Query(absl::StrCat("PRAGMA table_info(", name, ")"), {});
  if (!columns.ok()) return columns.status();
  Table table;
  table.name = name;
  std::vector<std::pair<int64_t, size_t>> key;
  for (const Row& row : *columns) {
    if (row.Number(5) != 0) key.emplace_back(row.Number(5), table.columns.size());
    table.columns.push_back({row.Text(1), row.Text(2) == "BLOB"});
  }
  if (key.empty()) return absl::InternalError(absl::StrCat("table ", name, " has no primary key"));
  std::sort(key.begin(), key.end());
  for (const auto& [place, column] : key) table.key.push_back(column);
  const absl::StatusOr<Rows> references =
      sqlite.Query(absl::StrCat("PRAGMA foreign_key_list(", name, ")"), {});
  if (!references.ok()) return references.status();
  for (const Row& row : *references) table.refers_to.insert(row.Text(2));
  return table;
}

// Each after those that it refers to.
absl::StatusOr<std::vector<Table>> Tables(Session& sqlite) {
  const absl::StatusOr<Rows> names = sqlite.Query(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' "
      "ESCAPE '\\' ORDER BY name",
      {});
  if (!names.ok()) return names.status();
  std::vector<Table> rest;
  for (const Row& row : *names) {
    if (absl::StartsWith(row.Text(0), kPassing) || row.Text(0) == kOfSqlite) continue;
    absl::StatusOr<Table> table = Describe(sqlite, row.Text(0));
    if (!table.ok()) return table.status();
    rest.push_back(*std::move(table));
  }
  std::vector<Table> ordered;
  std::set<std::string> there;
  while (!rest.empty()) {
    const auto next = std::find_if(rest.begin(), rest.end(), [&there](const Table& table) {
      return std::includes(there.begin(), there.end(), table.refers_to.begin(),
                           table.refers_to.end());
    });
    if (next == rest.end()) return absl::InternalError("tables refer to each other in a circle");
    there.insert(next->name);
    ordered.push_back(std::move(*next));
    rest.erase(next);
  }
  return ordered;
}

std::string Names(const Table& table) {
  return absl::StrJoin(table.columns, ", ", [](std::string* out, const Column& column) {
    absl::StrAppend(out, column.name);
  });
}

Parameter ToParameter(const Row& row, size_t column, bool is_bytes) {
  const Row::Value& value = row.At(column);
  if (const int64_t* number = std::get_if<int64_t>(&value)) return *number;
  const absl::string_view text = std::get<absl::string_view>(value);
  if (is_bytes) return sql::Bytes{text};
  return text;
}

// The rows that follow those of `page`, or the first ones, in the order of the key.
absl::StatusOr<Rows> NextPage(Session& session, const Table& table, const Rows& page) {
  std::vector<std::string> key;
  std::vector<std::string> places;
  std::vector<Parameter> parameters;
  for (const size_t column : table.key) {
    key.push_back(table.columns[column].name);
    if (page.empty()) continue;
    parameters.push_back(ToParameter(page.back(), column, table.columns[column].is_bytes));
    places.push_back(absl::StrCat("$", parameters.size()));
  }
  const std::string names = absl::StrJoin(key, ", ");
  const std::string condition =
      page.empty() ? ""
                   : absl::StrCat(" WHERE (", names, ") > (", absl::StrJoin(places, ", "), ")");
  return session.Query(absl::StrCat("SELECT ", Names(table), " FROM ", table.name, condition,
                                    " ORDER BY ", names, " LIMIT ", kRowsAtOnce),
                       parameters);
}

absl::Status WriteRow(const RowCopy& copy, const Table& table, const Row& row) {
  std::vector<std::string> places;
  std::vector<Parameter> parameters;
  for (size_t column = 0; column < table.columns.size(); ++column) {
    if (std::holds_alternative<std::monostate>(row.At(column))) {
      places.push_back("NULL");
      continue;
    }
    parameters.push_back(ToParameter(row, column, table.columns[column].is_bytes));
    places.push_back(absl::StrCat("$", parameters.size()));
  }
  return copy.to->Execute(
      absl::StrCat("INSERT INTO ", table.name, " (", Names(table), ")",
                   copy.to_postgres ? " OVERRIDING SYSTEM VALUE" : "", " VALUES (",
                   absl::StrJoin(places, ", "), ")",
                   table.name == kOfItself ? " ON CONFLICT (name) DO NOTHING" : ""),
      parameters);
}

// PostgreSQL's row of a whole blob has its bytes.
absl::Status WriteBlob(const RowCopy& copy, const Table& table, const Row& row) {
  for (size_t column = 0; column < table.columns.size(); ++column) {
    if (table.columns[column].name != "name") continue;
    const BlobName name = row.Text(column);
    absl::StatusOr<std::optional<std::string>> bytes = copy.bytes_of(name);
    if (!bytes.ok()) return bytes.status();
    if (!bytes->has_value()) return WriteRow(copy, table, row);
    return copy.to->AddBlob({name, **std::move(bytes)});
  }
  return absl::InternalError("blobs have no name");
}

// Sequences of PostgreSQL continue above the copied ids.
absl::Status MoveSequence(Session& postgres, const Table& table) {
  if (table.key.size() != 1 || table.columns[table.key[0]].name != "id") return absl::OkStatus();
  return postgres.Execute(
      absl::StrCat("SELECT setval(pg_get_serial_sequence('", table.name, "', 'id'), max(id)) FROM ",
                   table.name, " HAVING max(id) IS NOT NULL"),
      {});
}

absl::StatusOr<uint64_t> CopyTable(const RowCopy& copy, const Table& table) {
  const bool with_bytes = copy.to_postgres && table.name == "blob";
  uint64_t count = 0;
  Rows page;
  do {
    if (absl::Status status = copy.pulse(table.name); !status.ok()) return status;
    absl::StatusOr<Rows> next = NextPage(*copy.from, table, page);
    if (!next.ok()) return next.status();
    for (const Row& row : *next) {
      absl::Status status = with_bytes ? WriteBlob(copy, table, row) : WriteRow(copy, table, row);
      if (!status.ok()) return status;
      ++count;
    }
    page = *std::move(next);
  } while (static_cast<int64_t>(page.size()) == kRowsAtOnce);
  if (copy.to_postgres) {
    if (absl::Status status = MoveSequence(*copy.to, table); !status.ok()) return status;
  }
  return count;
}

}  // namespace

absl::StatusOr<uint64_t> CopyRows(const RowCopy& copy) {
  const absl::StatusOr<std::vector<Table>> tables = Tables(*copy.sqlite);
  if (!tables.ok()) return tables.status();
  uint64_t count = 0;
  for (const Table& table : *tables) {
    const absl::StatusOr<uint64_t> rows = CopyTable(copy, table);
    if (!rows.ok()) return rows.status();
    count += *rows;
  }
  return count;
}

absl::Status CheckIsEmpty(Session& sqlite, Session& session) {
  const absl::StatusOr<std::vector<Table>> tables = Tables(sqlite);
  if (!tables.ok()) return tables.status();
  for (const Table& table : *tables) {
    if (table.name == kOfItself) continue;
    const absl::StatusOr<Rows> rows =
        session.Query(absl::StrCat("SELECT 1 FROM ", table.name, " LIMIT 1"), {});
    if (!rows.ok()) return rows.status();
    if (!rows->empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat("the store is not empty (table ", table.name,
                       " has rows): restore into an empty database"));
    }
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::store
