#include "store/sql/blob_rows.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace gprofhub::store::sql {
namespace {

// An expression: 1 if the project $2 has sent the item of the list, else NULL. With EXISTS in its
// place, PostgreSQL would read all that the project has sent, because it takes a list for longer
// than it is.
constexpr absl::string_view kSent =
    "(SELECT 1 FROM blob_right WHERE blob_right.project = $2 AND blob_right.name = item ->> 0)";

// Those of `names` to which the project has no right, or of which else `or_else` is true.
absl::StatusOr<std::vector<BlobName>> Find(Session& session, const Dialect& dialect,
                                           absl::string_view project,
                                           const std::vector<BlobName>& names,
                                           absl::string_view or_else) {
  absl::StatusOr<Rows> rows =
      session.Query(absl::StrCat("SELECT item ->> 0 FROM ", dialect.list, " WHERE ", kSent,
                                 " IS NULL", or_else, " ORDER BY position"),
                    {JsonColumn(names), project});
  if (!rows.ok()) return rows.status();
  std::vector<BlobName> missing;
  for (const Row& row : *rows) missing.push_back(row.Text(0));
  return missing;
}

}  // namespace

absl::StatusOr<std::vector<BlobName>> LockBlobs(Session& session, const Dialect& dialect,
                                                const std::vector<BlobName>& names) {
  if (names.empty()) return names;
  const absl::StatusOr<Rows> rows =
      session.Query(absl::StrCat("SELECT name FROM blob WHERE name IN (SELECT item ->> 0 FROM ",
                                 dialect.list, ") ORDER BY name", dialect.for_update),
                    {JsonColumn(names)});
  if (!rows.ok()) return rows.status();
  std::vector<BlobName> locked;
  for (const Row& row : *rows) locked.push_back(row.Text(0));
  return locked;
}

absl::StatusOr<std::vector<BlobName>> FindMissingBlobs(Session& session, const Dialect& dialect,
                                                       absl::string_view project,
                                                       const std::vector<BlobName>& names) {
  return Find(session, dialect, project, names, "");
}

absl::StatusOr<std::vector<BlobName>> FindBlobsToSend(Session& session, const Dialect& dialect,
                                                      absl::string_view project,
                                                      const std::vector<BlobName>& names) {
  return Find(session, dialect, project, names,
              " OR EXISTS (SELECT 1 FROM blob WHERE blob.name = item ->> 0 "
              "AND blob.unused_since_us <> 0)");
}

Statement FindBlobsToAdd(const Dialect& dialect, absl::string_view project,
                         absl::string_view names) {
  return {absl::StrCat("SELECT item ->> 0, CASE WHEN ", kSent,
                       " IS NULL THEN 1 ELSE 0 END, "
                       "COALESCE((SELECT CASE WHEN blob.unused_since_us <> 0 THEN 1 ELSE 0 END "
                       "FROM blob WHERE blob.name = item ->> 0), 0) FROM ",
                       dialect.list, " ORDER BY position"),
          {names, project}};
}

absl::Status MarkAsUsed(Session& session, const Dialect& dialect,
                        const std::vector<BlobName>& names) {
  return session.Send(absl::StrCat("UPDATE blob SET unused_since_us = 0 WHERE unused_since_us <> 0 "
                                   "AND name IN (SELECT item ->> 0 FROM ",
                                   dialect.list, ")"),
                      {JsonColumn(names)});
}

absl::Status AddBlobRights(Session& session, const Dialect& dialect, absl::string_view project,
                           const std::vector<BlobName>& names) {
  // SQLite would take ON for a join's, were there no WHERE.
  return session.Send(
      absl::StrCat(
          "INSERT INTO blob_right (project, name) SELECT CAST($2 AS text), item ->> 0 FROM ",
          dialect.list, " WHERE 1 = 1 ORDER BY position ON CONFLICT (project, name) DO NOTHING"),
      {JsonColumn(names), project});
}

}  // namespace gprofhub::store::sql
