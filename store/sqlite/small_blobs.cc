#include "store/sqlite/small_blobs.h"

#include <variant>

#include "absl/strings/str_cat.h"

namespace gprofhub::store::sqlite {

absl::Status AddSmallBlob(sql::Session& session, const Blob& blob) {
  return session.Execute(
      "INSERT INTO small_blob (name, bytes) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
      {blob.name, sql::Bytes{blob.bytes}});
}

absl::Status RemoveSmallBlob(sql::Session& session, const BlobName& name) {
  return session.Execute("DELETE FROM small_blob WHERE name = $1", {name});
}

absl::StatusOr<std::optional<std::string>> ReadSmallBlob(sql::Session& session,
                                                         const BlobName& name) {
  const absl::StatusOr<sql::Rows> rows = session.Query(
      "SELECT small_blob.bytes FROM blob LEFT JOIN small_blob ON small_blob.name = blob.name "
      "WHERE blob.name = $1",
      {name});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return absl::NotFoundError(absl::StrCat("there is no blob ", name));
  const sql::Row row = rows->front();
  if (std::holds_alternative<std::monostate>(row.At(0))) return std::nullopt;
  return row.Text(0);
}

}  // namespace gprofhub::store::sqlite
