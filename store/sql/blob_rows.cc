#include "store/sql/blob_rows.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace gprofhub::store::sql {

absl::StatusOr<std::vector<BlobName>> FindMissingBlobs(Session& session, const Dialect& dialect,
                                                       const std::vector<BlobName>& names) {
  std::vector<std::vector<std::string>> list;
  for (const BlobName& name : names) list.push_back({name});
  absl::StatusOr<Rows> rows =
      session.Query(absl::StrCat("SELECT item ->> 0 FROM ", dialect.list,
                                 " WHERE NOT EXISTS (SELECT 1 FROM blob "
                                 "WHERE blob.name = item ->> 0) ORDER BY position"),
                    {JsonTable(list)});
  if (!rows.ok()) return rows.status();
  std::vector<BlobName> missing;
  for (const Row& row : *rows) missing.push_back(row.Text(0));
  return missing;
}

}  // namespace gprofhub::store::sql
