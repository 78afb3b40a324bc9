#include "store/postgres/server_errors.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/public_message.h"

namespace gprofhub::store::postgres {
namespace {

// A server of PostgreSQL that follows another one takes no writes.
constexpr absl::string_view kReadOnly = "25006";

std::string Named(const Location& location, absl::string_view message) {
  return absl::StrCat(location.display, ": ",
                      absl::StripAsciiWhitespace(WithoutSecrets(location, message)));
}

absl::Status ToNamedStatus(absl::string_view state, const std::string& message) {
  // Conflicts, and a row that was referred to and went in the meantime, with its run
  // (store/removal.h), or with the garbage.
  if (state == "40001" || state == "40P01" || state == "23503") {
    return absl::AbortedError(message);
  }
  if (state == "53100") {
    return absl::ResourceExhaustedError(absl::StrCat(
        message, ": the database server's disk is full; free or add space there, then try again"));
  }
  if (absl::StartsWith(state, "53")) return absl::ResourceExhaustedError(message);
  // statement_timeout and lock_timeout; an operator may cancel a statement, too.
  if (state == "57014" || state == "55P03") return absl::DeadlineExceededError(message);
  // Without SQLSTATE: from libpq. Connection exceptions, a transaction that was left open, and a
  // server that shuts down or starts.
  if (state.empty() || absl::StartsWith(state, "08") || absl::StartsWith(state, "57P") ||
      state == "25P03") {
    return absl::UnavailableError(message);
  }
  if (state == "42501" || state == kReadOnly) return absl::FailedPreconditionError(message);
  if (absl::StartsWith(state, "XX")) return absl::DataLossError(message);
  return absl::InternalError(absl::StrCat(message, " (SQLSTATE ", state, ")"));
}

absl::string_view WordsForClients(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kUnavailable:
      return "the database cannot be reached: try again";
    case absl::StatusCode::kDeadlineExceeded:
      return "the database takes too long: try again";
    case absl::StatusCode::kAborted:
      return "others write the same: try again";
    case absl::StatusCode::kResourceExhausted:
      return "the database has no room or no connection left: nothing was stored; try again once "
             "its operator has made room";
    case absl::StatusCode::kDataLoss:
      return "the database is damaged: the server's log says how";
    default:
      return "the database failed: the server's log says how";
  }
}

absl::Status WithWordsForClients(absl::Status status) {
  const absl::string_view words = WordsForClients(status.code());
  return base::WithPublicMessage(std::move(status), words);
}

}  // namespace

absl::Status StatementError(const Location& location, const PGresult* result) {
  const char* field = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const absl::string_view state = field == nullptr ? "" : field;
  absl::Status status = ToNamedStatus(state, Named(location, PQresultErrorMessage(result)));
  if (state == kReadOnly) {
    return base::WithPublicMessage(std::move(status),
                                   "this server reads a copy of the database, and keeps nothing: "
                                   "ask the server that uploads go to");
  }
  return WithWordsForClients(std::move(status));
}

absl::Status ConnectionError(const Location& location, const PGconn* connection) {
  return WithWordsForClients(absl::UnavailableError(Named(location, PQerrorMessage(connection))));
}

}  // namespace gprofhub::store::postgres
