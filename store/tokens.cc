#include "store/tokens.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "store/sql/database.h"
#include "store/sql/transaction.h"
#include "store/validation.h"

namespace gprofhub::store {
namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

#define GPROFHUB_TOKEN_COLUMNS "id, project, label, token_sha256, created_us, revoked"

TokenRecord ToToken(const Row& row) {
  TokenRecord token;
  token.id = row.Number(0);
  token.project = row.Text(1);
  token.label = row.Text(2);
  token.token_sha256 = row.Text(3);
  token.created = absl::FromUnixMicros(row.Number(4));
  token.revoked = row.Number(5) != 0;
  return token;
}

}  // namespace

Tokens::Tokens(std::shared_ptr<sql::Database> database) : database_(std::move(database)) {}

absl::StatusOr<TokenRecord> Tokens::Create(absl::string_view project, absl::string_view label,
                                           absl::string_view token_sha256, absl::Time now) const {
  if (absl::Status status = CheckKey("project", project); !status.ok()) return status;
  if (absl::Status status = CheckText("label", label); !status.ok()) return status;
  if (absl::Status status = CheckKey("token_sha256", token_sha256); !status.ok()) return status;
  return sql::WriteIn(*database_, [&](Session& session) -> absl::StatusOr<TokenRecord> {
    absl::StatusOr<Rows> rows = session.Query(
        "INSERT INTO token (project, label, token_sha256, created_us) VALUES ($1, $2, $3, $4) "
        "ON CONFLICT (token_sha256) DO NOTHING RETURNING " GPROFHUB_TOKEN_COLUMNS,
        {project, label, token_sha256, absl::ToUnixMicros(now)});
    if (!rows.ok()) return rows.status();
    if (rows->empty()) return absl::AlreadyExistsError("this token was created before");
    return ToToken(rows->front());
  });
}

absl::StatusOr<TokenRecord> Tokens::Find(absl::string_view token_sha256) const {
  if (absl::Status status = CheckKey("token_sha256", token_sha256); !status.ok()) return status;
  return sql::ReadIn(*database_, [&](Session& session) -> absl::StatusOr<TokenRecord> {
    absl::StatusOr<Rows> rows = session.Query("SELECT " GPROFHUB_TOKEN_COLUMNS
                                              " FROM token WHERE token_sha256 = $1 AND revoked = 0",
                                              {token_sha256});
    if (!rows.ok()) return rows.status();
    if (rows->empty()) return absl::NotFoundError("there is no such token, or it was revoked");
    return ToToken(rows->front());
  });
}

absl::StatusOr<std::vector<TokenRecord>> Tokens::List(absl::string_view project) const {
  if (absl::Status status = CheckKey("project", project); !status.ok()) return status;
  return sql::ReadIn(*database_, [&](Session& session) -> absl::StatusOr<std::vector<TokenRecord>> {
    absl::StatusOr<Rows> rows = session.Query(
        "SELECT " GPROFHUB_TOKEN_COLUMNS " FROM token WHERE project = $1 ORDER BY id", {project});
    if (!rows.ok()) return rows.status();
    std::vector<TokenRecord> tokens;
    for (const Row& row : *rows) tokens.push_back(ToToken(row));
    return tokens;
  });
}

absl::Status Tokens::Revoke(int64_t token_id) const {
  return database_->Write([&](Session& session) {
    absl::StatusOr<Rows> rows =
        session.Query("UPDATE token SET revoked = 1 WHERE id = $1 RETURNING id", {token_id});
    if (!rows.ok()) return rows.status();
    if (rows->empty()) return absl::NotFoundError(absl::StrCat("there is no token ", token_id));
    return absl::OkStatus();
  });
}

absl::StatusOr<bool> Tokens::WereCreated() const {
  return sql::ReadIn(*database_, [](Session& session) -> absl::StatusOr<bool> {
    absl::StatusOr<Rows> rows = session.Query("SELECT id FROM token LIMIT 1", {});
    if (!rows.ok()) return rows.status();
    return !rows->empty();
  });
}

}  // namespace gprofhub::store
