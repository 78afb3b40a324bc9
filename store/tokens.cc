#include "store/tokens.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "store/sql/database.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

absl::StatusOr<std::vector<AuditRecord>> ListIn(Session& session, const AuditFilter& filter) {
  const int64_t since =
      filter.since == absl::InfinitePast() ? INT64_MIN : absl::ToUnixMicros(filter.since);
  ASSIGN_OR_RETURN(
      Rows rows,
      session.Query(
          "SELECT id, time_us, project, actor, origin, action, subject, detail FROM audit "
          "WHERE time_us >= $1 AND (project = $2 OR $2 = '') ORDER BY time_us DESC, id DESC LIMIT "
          "$3",
          {since, filter.project, int64_t{filter.limit}}));
  std::vector<AuditRecord> records;
  for (const Row& row : rows) {
    records.push_back({row.Number(0), absl::FromUnixMicros(row.Number(1)), row.Text(2), row.Text(3),
                       row.Text(4), row.Text(5), row.Text(6), row.Text(7)});
  }
  std::reverse(records.begin(), records.end());
  return records;
}

}  // namespace

AuditLog::AuditLog(std::shared_ptr<sql::Database> database) : database_(std::move(database)) {}

absl::Status AuditLog::Add(const std::vector<AuditRecord>& records) const {
  return database_->Write([&](Session& session) {
    for (const AuditRecord& record : records) {
      const Actor actor = {record.actor, record.origin, 0};
      const sql::Deed deed = {record.project, record.action, record.subject, record.detail};
      RETURN_IF_ERROR(sql::AddAuditRow(session, actor, deed, record.time));
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<std::vector<AuditRecord>> AuditLog::List(const AuditFilter& filter) const {
  RETURN_IF_ERROR(CheckText("filter.project", filter.project));
  return sql::ReadIn(*database_, [&](Session& session) { return ListIn(session, filter); });
}

namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

#define GPROFHUB_TOKEN_COLUMNS                                                                \
  "id, project, label, token_sha256, created_us, revoked, scopes, expires_us, last_used_us, " \
  "replaced_by"

int64_t ExpiryOf(absl::Time expires) {
  return expires == absl::InfiniteFuture() ? kNever : absl::ToUnixMicros(expires);
}

TokenRecord ToToken(const Row& row) {
  TokenRecord token;
  token.id = row.Number(0);
  token.project = row.Text(1);
  token.label = row.Text(2);
  token.token_sha256 = row.Text(3);
  token.created = absl::FromUnixMicros(row.Number(4));
  token.revoked = row.Number(5) != 0;
  token.scopes = row.Text(6);
  token.expires =
      row.Number(7) == kNever ? absl::InfiniteFuture() : absl::FromUnixMicros(row.Number(7));
  token.last_used = absl::FromUnixMicros(row.Number(8));
  token.replaced_by = row.Number(9);
  return token;
}

absl::Status CheckToken(const TokenRecord& token) {
  for (const auto& [field, text] :
       {std::pair("project", &token.project), std::pair("token_sha256", &token.token_sha256),
        std::pair("scopes", &token.scopes)}) {
    RETURN_IF_ERROR(CheckKey(field, *text));
  }
  return CheckText("label", token.label);
}

absl::Status NoSuchToken(int64_t token_id) {
  return absl::NotFoundError(absl::StrCat("there is no token ", token_id));
}

absl::StatusOr<TokenRecord> Insert(Session& session, const TokenRecord& token) {
  ASSIGN_OR_RETURN(
      Rows rows,
      session.Query(
          "INSERT INTO token (project, label, token_sha256, created_us, scopes, expires_us) "
          "VALUES ($1, $2, $3, $4, $5, $6) "
          "ON CONFLICT (token_sha256) DO NOTHING RETURNING " GPROFHUB_TOKEN_COLUMNS,
          {token.project, token.label, token.token_sha256, absl::ToUnixMicros(token.created),
           token.scopes, ExpiryOf(token.expires)}));
  if (rows.empty()) return absl::AlreadyExistsError("this token already exists");
  return ToToken(rows.front());
}

// Tells of something done to a token.
absl::Status Tell(Session& session, const Actor& by, absl::string_view action,
                  const TokenRecord& token, absl::string_view detail, absl::Time now) {
  const std::string subject = absl::StrCat("token ", token.id);
  return sql::AddAuditRow(session, by, {token.project, action, subject, detail}, now);
}

std::string Description(const TokenRecord& token) {
  return absl::StrCat(
      "label \"", token.label, "\", scopes ", token.scopes, ", expires ",
      token.expires == absl::InfiniteFuture()
          ? "never"
          : absl::FormatTime(absl::RFC3339_sec, token.expires, absl::UTCTimeZone()));
}

absl::StatusOr<TokenRecord> ReadIn(Session& session, int64_t token_id, absl::string_view lock) {
  ASSIGN_OR_RETURN(Rows rows, session.Query(absl::StrCat("SELECT " GPROFHUB_TOKEN_COLUMNS
                                                         " FROM token WHERE id = $1",
                                                         lock),
                                            {token_id}));
  if (rows.empty()) return NoSuchToken(token_id);
  return ToToken(rows.front());
}

absl::StatusOr<TokenRecord> RotateIn(Session& session, absl::string_view lock, int64_t old_id,
                                     const TokenRecord& token, absl::Time old_expires,
                                     const Actor& by) {
  ASSIGN_OR_RETURN(TokenRecord old, ReadIn(session, old_id, lock));
  if (old.revoked || old.replaced_by != 0) {
    return absl::FailedPreconditionError(
        old.revoked ? absl::StrCat("token ", old_id, " is revoked; create a new one")
                    : absl::StrCat("token ", old_id, " was rotated to ", old.replaced_by,
                                   "; rotate that one"));
  }
  ASSIGN_OR_RETURN(TokenRecord made, Insert(session, token));
  const absl::Time end = std::min(old.expires, old_expires);
  RETURN_IF_ERROR(
      session.Execute("UPDATE token SET expires_us = $2, replaced_by = $3 WHERE id = $1",
                      {old_id, ExpiryOf(end), made.id}));
  const std::string detail =
      absl::StrCat("to token ", made.id, ": ", Description(made), "; this one until ",
                   absl::FormatTime(absl::RFC3339_sec, end, absl::UTCTimeZone()));
  RETURN_IF_ERROR(Tell(session, by, "token.rotate", old, detail, token.created));
  return made;
}

}  // namespace

Tokens::Tokens(std::shared_ptr<sql::Database> database) : database_(std::move(database)) {}

absl::StatusOr<TokenRecord> Tokens::Create(const TokenRecord& token, const Actor& by) const {
  RETURN_IF_ERROR(CheckToken(token));
  return sql::WriteIn(*database_, [&](Session& session) -> absl::StatusOr<TokenRecord> {
    ASSIGN_OR_RETURN(TokenRecord made, Insert(session, token));
    RETURN_IF_ERROR(Tell(session, by, "token.create", made, Description(made), token.created));
    return made;
  });
}

absl::StatusOr<TokenRecord> Tokens::Find(absl::string_view token_sha256) const {
  RETURN_IF_ERROR(CheckKey("token_sha256", token_sha256));
  return sql::ReadIn(*database_, [&](Session& session) -> absl::StatusOr<TokenRecord> {
    ASSIGN_OR_RETURN(Rows rows, session.Query("SELECT " GPROFHUB_TOKEN_COLUMNS
                                              " FROM token WHERE token_sha256 = $1 AND revoked = 0",
                                              {token_sha256}));
    if (rows.empty()) return absl::NotFoundError("the token is unknown or revoked");
    return ToToken(rows.front());
  });
}

absl::StatusOr<TokenRecord> Tokens::Read(int64_t token_id) const {
  return sql::ReadIn(*database_,
                     [&](Session& session) { return ReadIn(session, token_id, /*lock=*/""); });
}

absl::Status Tokens::KeepUse(int64_t token_id, absl::Time now) const {
  return database_->Write([&](Session& session) {
    return session.Execute(
        "UPDATE token SET last_used_us = $2 WHERE id = $1 AND last_used_us <= $3",
        {token_id, absl::ToUnixMicros(now), absl::ToUnixMicros(now - kTokenUseGrain)});
  });
}

absl::StatusOr<TokenRecord> Tokens::Rotate(int64_t old_id, const TokenRecord& token,
                                           absl::Time old_expires, const Actor& by) const {
  RETURN_IF_ERROR(CheckToken(token));
  return sql::WriteIn(*database_, [&](Session& session) {
    return RotateIn(session, database_->dialect().for_update, old_id, token, old_expires, by);
  });
}

absl::Status Tokens::SetScopes(int64_t token_id, absl::string_view scopes, const Actor& by,
                               absl::Time now) const {
  RETURN_IF_ERROR(CheckKey("scopes", scopes));
  return database_->Write([&](Session& session) {
    ASSIGN_OR_RETURN(TokenRecord old, ReadIn(session, token_id, database_->dialect().for_update));
    RETURN_IF_ERROR(
        session.Execute("UPDATE token SET scopes = $2 WHERE id = $1", {token_id, scopes}));
    return Tell(session, by, "token.scope", old, absl::StrCat(old.scopes, " to ", scopes), now);
  });
}

absl::StatusOr<std::vector<TokenRecord>> Tokens::List(absl::string_view project) const {
  if (!project.empty()) RETURN_IF_ERROR(CheckKey("project", project));
  return sql::ReadIn(*database_, [&](Session& session) -> absl::StatusOr<std::vector<TokenRecord>> {
    ASSIGN_OR_RETURN(Rows rows,
                     session.Query("SELECT " GPROFHUB_TOKEN_COLUMNS
                                   " FROM token WHERE $1 = '' OR project = $1 ORDER BY id",
                                   {project}));
    std::vector<TokenRecord> tokens;
    for (const Row& row : rows) tokens.push_back(ToToken(row));
    return tokens;
  });
}

absl::Status Tokens::Revoke(int64_t token_id, const Actor& by, absl::Time now) const {
  return database_->Write([&](Session& session) {
    ASSIGN_OR_RETURN(TokenRecord token, ReadIn(session, token_id, database_->dialect().for_update));
    if (token.revoked) return absl::OkStatus();
    RETURN_IF_ERROR(session.Execute("UPDATE token SET revoked = 1 WHERE id = $1", {token_id}));
    return Tell(session, by, "token.revoke", token, Description(token), now);
  });
}

absl::StatusOr<bool> Tokens::WereCreated() const {
  return sql::ReadIn(*database_, [](Session& session) -> absl::StatusOr<bool> {
    ASSIGN_OR_RETURN(Rows rows, session.Query("SELECT id FROM token LIMIT 1", {}));
    return !rows.empty();
  });
}

}  // namespace gprofhub::store
