#include "store/postgres/session.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <pqxx/binarystring>
#include <pqxx/prepared_statement>
#include <pqxx/result>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "store/postgres/connection_pool.h"

namespace gprofhub::store::postgres {
namespace {

// The catalog's numbers of the types whose values are not texts.
constexpr pqxx::oid kBytea = 17;
constexpr pqxx::oid kInt8 = 20;
constexpr pqxx::oid kInt2 = 21;
constexpr pqxx::oid kInt4 = 23;

// Every parameter goes as text: PostgreSQL knows the type it wants.
std::string ToText(const sql::Parameter& parameter) {
  if (const int64_t* number = std::get_if<int64_t>(&parameter)) return absl::StrCat(*number);
  if (const absl::string_view* text = std::get_if<absl::string_view>(&parameter)) {
    return std::string(*text);
  }
  return absl::StrCat("\\x", absl::BytesToHexString(std::get<sql::Bytes>(parameter).value));
}

void AddField(const pqxx::field& field, sql::Rows& rows) {
  if (field.is_null()) return rows.Add(std::monostate());
  switch (field.type()) {
    case kInt2:
    case kInt4:
    case kInt8:
      return rows.Add(field.as<int64_t>());
    case kBytea: {
      const pqxx::binarystring bytes(field);
      return rows.Add(absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    }
    default:
      return rows.Add(absl::string_view(field.c_str(), field.size()));
  }
}

// The slowest line to a database that is no fault.
constexpr uint64_t kBytesPerSecond = 1 << 20;

}  // namespace

void PostgresSession::Allow(uint64_t bytes) {
  watched_.Allow(answer_ + absl::Seconds(bytes / kBytesPerSecond));
}

absl::Status PostgresSession::TakeAnyTime() {
  answer_ = absl::InfiniteDuration();
  return Script("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0");
}

absl::StatusOr<sql::Rows> PostgresSession::Query(absl::string_view sql,
                                                 absl::Span<const sql::Parameter> parameters) try {
  std::vector<std::string> texts;
  uint64_t bytes = 0;
  for (const sql::Parameter& parameter : parameters) {
    texts.push_back(ToText(parameter));
    bytes += texts.back().size();
  }
  Allow(bytes);
  const pqxx::result result =
      transaction_.exec_params(std::string(sql), pqxx::prepare::make_dynamic_params(texts));
  sql::Rows rows(static_cast<size_t>(std::max<pqxx::row_size_type>(1, result.columns())));
  for (const pqxx::row& row : result) {
    for (const pqxx::field& field : row) AddField(field, rows);
  }
  return rows;
} catch (const std::exception& exception) {
  return ToStatus(location_, exception);
}

absl::Status PostgresSession::AddBlob(const Blob& blob) try {
  Allow(blob.bytes.size());
  const pqxx::binarystring bytes(blob.bytes);
  const pqxx::result added = transaction_.exec_params(
      "INSERT INTO blob (name, size, bytes) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING",
      blob.name, absl::StrCat(blob.bytes.size()), bytes);
  if (added.affected_rows() > 0) return absl::OkStatus();
  const pqxx::result unpacked =
      transaction_.exec_params("DELETE FROM packed_blob WHERE name = $1", blob.name);
  if (unpacked.affected_rows() == 0) return absl::OkStatus();
  Allow(blob.bytes.size());
  transaction_.exec_params("UPDATE blob SET bytes = $2 WHERE name = $1", blob.name, bytes);
  return absl::OkStatus();
} catch (const std::exception& exception) {
  return ToStatus(location_, exception);
}

absl::Status PostgresSession::RemoveBlobBytes(const BlobName& name) {
  return Execute("UPDATE blob SET bytes = NULL WHERE name = $1", {name});
}

absl::Status PostgresSession::Script(absl::string_view sql) try {
  Allow(sql.size());
  transaction_.exec(std::string(sql));
  return absl::OkStatus();
} catch (const std::exception& exception) {
  return ToStatus(location_, exception);
}

}  // namespace gprofhub::store::postgres
