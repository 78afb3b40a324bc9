#include "store/shelving/locked_blobs.h"

#include "absl/strings/str_cat.h"

namespace gprofhub::store {

absl::StatusOr<std::vector<BlobName>> LockBlobs(sql::Session& session, const sql::Dialect& dialect,
                                                const std::vector<BlobName>& names) {
  if (names.empty()) return names;
  const absl::StatusOr<sql::Rows> rows =
      session.Query(absl::StrCat("SELECT name FROM blob WHERE name IN (SELECT item ->> 0 FROM ",
                                 dialect.list, ") ORDER BY name", dialect.for_update),
                    {sql::JsonColumn(names)});
  if (!rows.ok()) return rows.status();
  std::vector<BlobName> locked;
  for (const sql::Row& row : *rows) locked.push_back(row.Text(0));
  return locked;
}

}  // namespace gprofhub::store
