#include "store/delta/series_bases.h"

#include "absl/strings/str_cat.h"
#include "base/sha256.h"

namespace gprofhub::store {

std::string NameSeries(absl::string_view project, absl::string_view configuration,
                       absl::string_view label, absl::string_view kind) {
  constexpr size_t kDigits = 32;
  std::string key;
  for (const absl::string_view part : {project, configuration, label, kind}) {
    absl::StrAppend(&key, part.size(), ":", part);  // length prefixes make the key unambiguous
  }
  return base::Sha256Hex(key).substr(0, kDigits);
}

absl::StatusOr<SeriesBase> FindBase(sql::Session& session, absl::string_view series) {
  const absl::StatusOr<sql::Rows> rows = session.Query(
      "SELECT blob_base.id, blob_base.name, blob_series.least, blob_series.excess, "
      "coalesce(root.name, '') FROM blob_series "
      "JOIN blob_base ON blob_base.id = blob_series.base_id "
      "LEFT JOIN blob_delta ON blob_delta.name = blob_base.name "
      "LEFT JOIN blob_base AS root ON root.id = blob_delta.base_id "
      "WHERE blob_series.series = $1",
      {series});
  if (!rows.ok()) return rows.status();
  if (rows->empty()) return SeriesBase();
  const sql::Row row = rows->front();
  return SeriesBase{row.Number(0), row.Text(1), row.Text(4), static_cast<uint64_t>(row.Number(2)),
                    static_cast<uint64_t>(row.Number(3))};
}

absl::StatusOr<int64_t> FindBaseId(sql::Session& session, const BlobName& name) {
  const absl::StatusOr<sql::Rows> rows =
      session.Query("SELECT id FROM blob_base WHERE name = $1", {name});
  if (!rows.ok()) return rows.status();
  return rows->empty() ? 0 : rows->front().Number(0);
}

absl::StatusOr<BlobUse> FindUse(sql::Session& session, const BlobName& name) {
  const absl::StatusOr<sql::Rows> rows = session.Query(
      "SELECT (SELECT count(*) FROM blob_base WHERE name = $1), "
      "(SELECT count(*) FROM blob_delta WHERE name = $1) + "
      "(SELECT count(*) FROM archived_blob WHERE name = $1)",
      {name});
  if (!rows.ok()) return rows.status();
  return BlobUse{rows->front().Number(0) != 0, rows->front().Number(1) == 0};
}

absl::Status StartBase(sql::Session& session, absl::string_view series, const BlobName& name) {
  absl::Status status = session.Execute(
      "INSERT INTO blob_base (name) VALUES ($1) ON CONFLICT (name) DO NOTHING", {name});
  if (!status.ok()) return status;
  return session.Execute(
      "INSERT INTO blob_series (series, base_id, least, excess) "
      "SELECT CAST($1 AS text), id, 0, 0 FROM blob_base WHERE name = $2 "
      "ON CONFLICT (series) DO UPDATE SET base_id = excluded.base_id, least = 0, excess = 0",
      {series, name});
}

absl::Status KeepBase(sql::Session& session, absl::string_view series, const SeriesBase& base) {
  return session.Execute(
      "UPDATE blob_series SET least = $2, excess = $3 WHERE series = $1",
      {series, static_cast<int64_t>(base.least), static_cast<int64_t>(base.excess)});
}

}  // namespace gprofhub::store
