#include "store/sql/database.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/text.h"

namespace gprofhub::store::sql {

size_t StorableCharacter(absl::string_view text) {
  const base::Utf8Character first = base::FirstUtf8Character(text);
  return first.number == 0 ? 0 : first.bytes;
}

std::string CleanText(absl::string_view text, size_t max_bytes) {
  std::string clean;
  for (size_t at = 0; at < text.size();) {
    const size_t length = StorableCharacter(text.substr(at));
    const absl::string_view next = length == 0 ? "?" : text.substr(at, length);
    if (clean.size() + next.size() > max_bytes) break;
    absl::StrAppend(&clean, next);
    at += std::max<size_t>(length, 1);
  }
  return clean;
}

absl::StatusOr<std::vector<Rows>> Session::QueryAll(absl::Span<const Statement> statements) {
  std::vector<Rows> all;
  for (const Statement& statement : statements) {
    ASSIGN_OR_RETURN(Rows rows, Query(statement.sql, statement.parameters));
    all.push_back(std::move(rows));
  }
  return all;
}

absl::Status Session::Send(absl::string_view sql, absl::Span<const Parameter> parameters) {
  return Execute(sql, parameters);
}

namespace {

class CheckedDatabase final : public Database {
 public:
  CheckedDatabase(std::shared_ptr<Database> database, std::function<absl::Status()> check)
      : database_(std::move(database)), check_(std::move(check)) {}

  const Dialect& dialect() const override { return database_->dialect(); }
  absl::Status Read(const Work& work) override {
    RETURN_IF_ERROR(check_());
    return database_->Read(work);
  }
  absl::Status Write(const Work& work) override {
    RETURN_IF_ERROR(check_());
    return database_->Write(work);
  }
  absl::Duration ClockSkew() override { return database_->ClockSkew(); }
  absl::Status Check() override { return database_->Check(); }
  Connections connections() const override { return database_->connections(); }
  std::string folder() const override { return database_->folder(); }
  absl::StatusOr<std::vector<std::string>> CheckIntegrity() override {
    return database_->CheckIntegrity();
  }

 private:
  const std::shared_ptr<Database> database_;
  const std::function<absl::Status()> check_;
};

}  // namespace

std::shared_ptr<Database> WithCheck(std::shared_ptr<Database> database,
                                    std::function<absl::Status()> check) {
  return std::make_shared<CheckedDatabase>(std::move(database), std::move(check));
}

std::string JsonTable(absl::Span<const std::vector<std::string>> rows) {
  nlohmann::json table = nlohmann::json::array();
  for (const std::vector<std::string>& row : rows) table.push_back(row);
  return table.dump();
}

std::string JsonColumn(absl::Span<const std::string> texts) {
  nlohmann::json table = nlohmann::json::array();
  for (const std::string& text : texts) table.push_back(nlohmann::json::array({text}));
  return table.dump();
}

std::string JsonColumn(absl::Span<const int64_t> numbers) {
  // Elements are texts, as everywhere in such tables: the statements make numbers of them.
  std::string table = "[";
  for (const int64_t number : numbers) {
    absl::StrAppend(&table, table.size() == 1 ? "" : ",", "[\"", number, "\"]");
  }
  return table + "]";
}

namespace {

constexpr size_t kMaxBytes = 1000;

}  // namespace

absl::Status AddAuditRow(Session& session, const Actor& actor, const Deed& deed, absl::Time time) {
  const std::string project = CleanText(deed.project, kMaxBytes);
  const std::string name = CleanText(actor.name, kMaxBytes);
  const std::string origin = CleanText(actor.origin, kMaxBytes);
  const std::string action = CleanText(deed.action, kMaxBytes);
  const std::string subject = CleanText(deed.subject, kMaxBytes);
  const std::string detail = CleanText(deed.detail, kMaxBytes);
  return session.Send(
      "INSERT INTO audit (time_us, project, actor, origin, action, subject, detail) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7)",
      {absl::ToUnixMicros(time), project, name, origin, action, subject, detail});
}

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
  ASSIGN_OR_RETURN(Rows rows,
                   session.Query(absl::StrCat("SELECT item ->> 0 FROM ", dialect.list, " WHERE ",
                                              kSent, " IS NULL", or_else, " ORDER BY position"),
                                 {JsonColumn(names), project}));
  std::vector<BlobName> missing;
  for (const Row& row : rows) missing.push_back(row.Text(0));
  return missing;
}

}  // namespace

absl::StatusOr<std::vector<BlobName>> LockBlobs(Session& session, const Dialect& dialect,
                                                const std::vector<BlobName>& names) {
  if (names.empty()) return names;
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(absl::StrCat("SELECT name FROM blob WHERE name IN (SELECT item ->> 0 FROM ",
                                 dialect.list, ") ORDER BY name", dialect.for_update),
                    {JsonColumn(names)}));
  std::vector<BlobName> locked;
  for (const Row& row : rows) locked.push_back(row.Text(0));
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
