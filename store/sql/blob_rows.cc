#include "store/sql/blob_rows.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace gprofhub::store::sql {
namespace {

std::string List(const std::vector<BlobName>& names) {
  std::vector<std::vector<std::string>> list;
  for (const BlobName& name : names) list.push_back({name});
  return JsonTable(list);
}

}  // namespace

absl::StatusOr<std::vector<BlobName>> FindMissingBlobs(Session& session, const Dialect& dialect,
                                                       absl::string_view project,
                                                       const std::vector<BlobName>& names) {
  absl::StatusOr<Rows> rows = session.Query(
      absl::StrCat("SELECT item ->> 0 FROM ", dialect.list,
                   " WHERE NOT EXISTS (SELECT 1 FROM blob_right WHERE blob_right.project = $2 "
                   "AND blob_right.name = item ->> 0) ORDER BY position"),
      {List(names), project});
  if (!rows.ok()) return rows.status();
  std::vector<BlobName> missing;
  for (const Row& row : *rows) missing.push_back(row.Text(0));
  return missing;
}

absl::Status AddBlobRights(Session& session, const Dialect& dialect, absl::string_view project,
                           const std::vector<BlobName>& names) {
  // SQLite would take ON for a join's, were there no WHERE.
  return session.Execute(
      absl::StrCat(
          "INSERT INTO blob_right (project, name) SELECT CAST($2 AS text), item ->> 0 FROM ",
          dialect.list, " WHERE 1 = 1 ORDER BY position ON CONFLICT (project, name) DO NOTHING"),
      {List(names), project});
}

}  // namespace gprofhub::store::sql
