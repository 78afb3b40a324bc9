#include "store/postgres/pipeline.h"

#include <libpq-fe.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/http/percent_coding.h"
#include "base/status.h"
#include "base/status_macros.h"

namespace gprofhub::store::postgres {

// libpq's PQconninfoParse is the reference for URLs. But it is not strict. If a password has a
// slash that is not encoded, libpq takes the rest for the name of the database and shows it in
// messages. If a URL has two passwords, libpq names only one. So the parts are checked here, too.

namespace {

absl::Status Malformed(absl::string_view part) {
  return absl::InvalidArgumentError(absl::StrCat(
      "the PostgreSQL URL's ", part, " holds a character that must be percent-encoded; the form ",
      "is postgresql://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETERS"));
}

// Whether all characters are RFC 3986's unreserved ones, percent-encoded, or
// one of `also`.
bool IsEncoded(absl::string_view part, absl::string_view also) {
  for (size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    if (c == '%') {
      if (part.size() - i < 3 || !absl::ascii_isxdigit(part[i + 1]) ||
          !absl::ascii_isxdigit(part[i + 2])) {
        return false;
      }
      continue;
    }
    if (!absl::ascii_isalnum(c) && !absl::StrContains("-._~", absl::string_view(&c, 1)) &&
        !absl::StrContains(also, absl::string_view(&c, 1))) {
      return false;
    }
  }
  return true;
}

void AddSecret(absl::string_view encoded, std::vector<std::string>& secrets) {
  for (std::string secret : {std::string(encoded), base::PercentDecoded(encoded)}) {
    if (!secret.empty()) secrets.push_back(std::move(secret));
  }
}

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
struct FreeMessage {
  void operator()(char* message) const { PQfreemem(message); }
};

// INVALID_ARGUMENT with libpq's message, for example on an unknown parameter.
absl::Status CheckByLibpq(const Location& location) {
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, FreeOptions> options(
      PQconninfoParse(location.connection_url.c_str(), &message));
  const std::unique_ptr<char, FreeMessage> freed(message);
  if (options != nullptr) return absl::OkStatus();
  const absl::string_view reason = message == nullptr ? "out of memory" : message;
  return absl::InvalidArgumentError(
      absl::StrCat("the PostgreSQL URL ", location.display, ": ",
                   WithoutSecrets(location, absl::StripTrailingAsciiWhitespace(reason))));
}

// "host", "host:5432", "[::1]:5432", or several with commas between.
bool AreHosts(absl::string_view hosts) {
  for (absl::string_view host : absl::StrSplit(hosts, ',')) {
    absl::string_view port;
    if (!host.empty() && host[0] == '[') {
      const size_t end = host.find(']');
      if (end == absl::string_view::npos || !IsEncoded(host.substr(1, end - 1), ":")) return false;
      port = host.substr(end + 1);
    } else {
      const size_t colon = std::min(host.find(':'), host.size());
      if (!IsEncoded(host.substr(0, colon), "")) return false;
      port = host.substr(colon);
    }
    if (port.empty()) continue;
    if (port[0] != ':' || !std::all_of(port.begin() + 1, port.end(), absl::ascii_isdigit)) {
      return false;
    }
  }
  return true;
}

// A dead peer is detected within a minute, also by an idle connection.
constexpr absl::string_view kKeepAlive =
    "&keepalives=1&keepalives_idle=15&keepalives_interval=5&keepalives_count=4"
    "&tcp_user_timeout=30000";

// libpq's parameter `options` with settings of the server's, percent-encoded: limits, and no
// just-in-time compilation. It costs more than half a second for a statement that the planner
// thinks to be expensive, and ours, with lists whose length it cannot know, take milliseconds.
std::string ServerOptions(const PostgresOptions& options) {
  const auto set = [](absl::string_view name, absl::Duration limit) {
    return absl::StrCat("-c%20", name, "%3D", absl::ToInt64Milliseconds(limit));
  };
  return absl::StrCat(
      set("statement_timeout", options.statement), "%20", set("lock_timeout", options.lock), "%20",
      set("idle_in_transaction_session_timeout", options.idle_in_transaction), "%20-c%20jit%3Doff");
}

// The URL's own parameters, with ours before its server options.
std::string WithServerOptions(absl::string_view query, const std::string& ours) {
  std::vector<std::string> parameters;
  bool given = false;
  for (absl::string_view parameter : absl::StrSplit(query, '&', absl::SkipEmpty())) {
    if (absl::ConsumePrefix(&parameter, "options=")) {
      parameters.push_back(absl::StrCat("options=", ours, "%20", parameter));
      given = true;
    } else {
      parameters.emplace_back(parameter);
    }
  }
  if (!given) parameters.push_back(absl::StrCat("options=", ours));
  return absl::StrJoin(parameters, "&");
}

}  // namespace

absl::StatusOr<Location> ParseLocation(absl::string_view url, const PostgresOptions& options) {
  absl::string_view rest = url;
  const size_t scheme = url.find("://");
  if (!absl::StartsWithIgnoreCase(url, "postgresql://") &&
      !absl::StartsWithIgnoreCase(url, "postgres://")) {
    return absl::InvalidArgumentError("a PostgreSQL URL begins with postgresql://");
  }
  rest.remove_prefix(scheme + 3);
  const std::pair<absl::string_view, absl::string_view> query =
      absl::StrSplit(rest, absl::MaxSplits('?', 1));
  const std::pair<absl::string_view, absl::string_view> path =
      absl::StrSplit(query.first, absl::MaxSplits('/', 1));
  if (!IsEncoded(path.second, "")) return Malformed("database");
  const size_t at = path.first.rfind('@');
  const bool has_user = at != absl::string_view::npos;
  const absl::string_view hosts = has_user ? path.first.substr(at + 1) : path.first;
  if (!AreHosts(hosts)) return Malformed("host or port (or password)");
  const std::pair<absl::string_view, absl::string_view> user = absl::StrSplit(
      has_user ? path.first.substr(0, at) : absl::string_view(), absl::MaxSplits(':', 1));
  if (!IsEncoded(user.first, "") || !IsEncoded(user.second, "!$&'()*+,;=")) {
    return Malformed("user or password");
  }
  if (!IsEncoded(query.second, "!$&'()*+,;=:/")) return Malformed("list of parameters");

  Location location;
  location.is_replica = options.mode == OpenMode::kReplica;
  AddSecret(user.second, location.secrets);
  for (absl::string_view parameter : absl::StrSplit(query.second, '&')) {
    if (absl::ConsumePrefix(&parameter, "password=") ||
        absl::ConsumePrefix(&parameter, "sslpassword=")) {
      AddSecret(parameter, location.secrets);
    }
  }
  location.display =
      absl::StrCat("postgresql://", user.first, has_user ? "@" : "", hosts, "/", path.second);
  location.connection_url = absl::StrCat("postgresql://", path.first, "/", path.second,
                                         "?connect_timeout=", absl::ToInt64Seconds(options.connect),
                                         "&fallback_application_name=gprofhub", kKeepAlive, "&",
                                         WithServerOptions(query.second, ServerOptions(options)),
                                         "&client_encoding=UTF8");
  RETURN_IF_ERROR(CheckByLibpq(location));
  return location;
}

std::string WithoutSecrets(const Location& location, absl::string_view message) {
  std::string clean(message);
  for (const std::string& secret : location.secrets) {
    absl::StrReplaceAll({{secret, "***"}}, &clean);
  }
  return clean;
}

namespace {

// A server that follows another one, or whose operator has made it read-only, accepts no writes.
constexpr absl::string_view kReadOnly = "25006";
// insufficient_privilege; and without USAGE on the schema, there is none to create tables in.
constexpr absl::string_view kNoPrivilege = "42501";
constexpr absl::string_view kUnknownSchema = "3F000";

constexpr absl::string_view kGrant =
    "; run in this database, as the owner of the schema or a superuser: GRANT USAGE, CREATE ON "
    "SCHEMA public TO the user of --store; and if other roles own tables: GRANT ALL ON ALL TABLES "
    "IN SCHEMA public TO that user";

std::string Named(const Location& location, absl::string_view message) {
  return absl::StrCat(location.display, ": ",
                      absl::StripAsciiWhitespace(WithoutSecrets(location, message)));
}

absl::Status ToNamedStatus(const Location& location, absl::string_view state,
                           const std::string& message) {
  // Conflicts, and a row that was referred to and went in the meantime, with its run
  // (store/open_store.h), or with the garbage.
  if (absl::StartsWith(state, "40") || state == "23503") {
    return absl::AbortedError(message);
  }
  if (state == "53100") {
    return absl::ResourceExhaustedError(absl::StrCat(
        message, ": the database server's disk is full; free or add space there, then try again"));
  }
  // A server that starts again, or a pooler, has no connection free for a while.
  if (state == "53300") return absl::UnavailableError(message);
  if (absl::StartsWith(state, "53")) return absl::ResourceExhaustedError(message);
  // statement_timeout, lock_timeout and transaction_timeout; an operator may cancel a statement,
  // too.
  if (state == "57014" || state == "55P03" || state == "25P04")
    return absl::DeadlineExceededError(message);
  // Without SQLSTATE: from libpq. Connection exceptions, a transaction that was left open, and a
  // server that shuts down or starts.
  if (state.empty() || absl::StartsWith(state, "08") || absl::StartsWith(state, "57P") ||
      state == "25P03") {
    return absl::UnavailableError(message);
  }
  if (state == kReadOnly) {
    return location.is_replica ? absl::FailedPreconditionError(message)
                               : absl::UnavailableError(message);
  }
  if (state == kNoPrivilege || state == kUnknownSchema) {
    return absl::FailedPreconditionError(absl::StrCat(message, kGrant));
  }
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
      return "conflicting writes; try again";
    case absl::StatusCode::kResourceExhausted:
      return "the database has no space or no connection left: nothing was stored; try again once "
             "its operator has freed some";
    case absl::StatusCode::kDataLoss:
      return "the database is damaged; see the server's log";
    default:
      return "the database failed; see the server's log";
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
  absl::Status status =
      ToNamedStatus(location, state, Named(location, PQresultErrorMessage(result)));
  if (state == kReadOnly) {
    return base::WithPublicMessage(
        std::move(status),
        location.is_replica ? "this server reads a replica of the database and accepts no writes; "
                              "use the server that accepts uploads"
                            : "the database accepts no writes, as during a failover: try again");
  }
  return WithWordsForClients(std::move(status));
}

absl::Status ConnectionError(const Location& location, const PGconn* connection) {
  return WithWordsForClients(absl::UnavailableError(Named(location, PQerrorMessage(connection))));
}

namespace {

constexpr Oid kByteaType = 17;
constexpr int kText = 0;
constexpr int kBinary = 1;

// The text of some statements depends on the query's parameters.
constexpr size_t kMostKept = 100;

// The parameters in libpq's form. PostgreSQL infers the types of texts. Bytes are passed in binary.
class Values {
 public:
  explicit Values(absl::Span<const sql::Parameter> parameters) : texts_(parameters.size()) {
    for (size_t i = 0; i < parameters.size(); ++i) Add(parameters[i], texts_[i]);
  }

  int count() const { return static_cast<int>(values_.size()); }
  const Oid* types() const { return types_.data(); }
  const char* const* values() const { return values_.data(); }
  const int* lengths() const { return lengths_.data(); }
  const int* formats() const { return formats_.data(); }

 private:
  void Add(const sql::Parameter& parameter, std::string& text) {
    if (const auto* bytes = std::get_if<sql::Bytes>(&parameter)) {
      // An empty view may have no address, which would be NULL.
      values_.push_back(bytes->value.empty() ? "" : bytes->value.data());
      types_.push_back(kByteaType);
      lengths_.push_back(static_cast<int>(bytes->value.size()));
      formats_.push_back(kBinary);
      return;
    }
    const int64_t* number = std::get_if<int64_t>(&parameter);
    text = number != nullptr ? absl::StrCat(*number)
                             : std::string(std::get<absl::string_view>(parameter));
    values_.push_back(text.c_str());
    types_.push_back(0);
    lengths_.push_back(0);
    formats_.push_back(kText);
  }

  std::vector<std::string> texts_;
  std::vector<const char*> values_;
  std::vector<Oid> types_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
};

}  // namespace

Pipeline::Pipeline(const Location& location, PGconn* connection, bool keeps)
    : location_(location), connection_(connection), keeps_(keeps) {
  // Other notices are for people at a terminal. If an operator or a tool cancels a statement that
  // waits for a standby, COMMIT succeeds, with a warning. Texts depend on the server's language.
  PQsetNoticeReceiver(
      connection_,
      [](void* unconfirmed, const PGresult* notice) {
        const char* function = PQresultErrorField(notice, PG_DIAG_SOURCE_FUNCTION);
        if (function != nullptr && absl::string_view(function) == "SyncRepWaitForLSN") {
          *static_cast<bool*>(unconfirmed) = true;
        }
      },
      &unconfirmed_);
  PQenterPipelineMode(connection_);
}

// For each transaction: a pooler drops the settings of sessions.
absl::Status Pipeline::Begin() {
  return Send(location_.is_replica ? "BEGIN READ ONLY" : "BEGIN", {}, Keep::kNo);
}

absl::Status Pipeline::Send(absl::string_view sql, absl::Span<const sql::Parameter> parameters,
                            Keep keep) {
  const Values values(parameters);
  const std::string text(sql);
  const bool is_kept =
      keeps_ && keep == Keep::kYes && (names_.size() < kMostKept || names_.contains(text));
  int sent = 1;
  if (!is_kept) {
    sent = PQsendQueryParams(connection_, text.c_str(), values.count(), values.types(),
                             values.values(), values.lengths(), values.formats(), kText);
  } else {
    const auto [kept, is_new] = names_.try_emplace(text);
    if (is_new) {
      kept->second = absl::StrCat("gprofhub_", ++named_);
      sent = PQsendPrepare(connection_, kept->second.c_str(), text.c_str(), values.count(),
                           values.types());
      sent_.push_back(text);
    }
    if (sent == 1) {
      sent = PQsendQueryPrepared(connection_, kept->second.c_str(), values.count(), values.values(),
                                 values.lengths(), values.formats(), kText);
    }
  }
  sent_.emplace_back();
  return sent == 1 ? absl::OkStatus() : ConnectionError(location_, connection_);
}

absl::StatusOr<std::vector<ResultHandle>> Pipeline::ReadAnswers(
    const std::vector<std::string>& sent) {
  std::vector<ResultHandle> answers;
  absl::Status failed;
  size_t answered = 0;
  for (int nothing = 0; nothing < 2;) {  // once is the end of a statement's answer
    ResultHandle result(PQgetResult(connection_));
    nothing = result == nullptr ? nothing + 1 : 0;
    if (result == nullptr) continue;
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_PIPELINE_SYNC) {
      if (!failed.ok()) return failed;
      return answers;
    }
    const bool ok = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
    // PGRES_PIPELINE_ABORTED: one before has failed.
    if (!ok && status != PGRES_PIPELINE_ABORTED && failed.ok()) {
      failed = StatementError(location_, result.get());
    }
    const bool was_to_keep = answered < sent.size() && !sent[answered].empty();
    if (was_to_keep && !ok) names_.erase(sent[answered]);
    if (!was_to_keep && ok) answers.push_back(std::move(result));
    ++answered;
  }
  return failed.ok() ? ConnectionError(location_, connection_) : failed;
}

absl::StatusOr<std::vector<ResultHandle>> Pipeline::Wait() {
  if (PQpipelineSync(connection_) != 1) return ConnectionError(location_, connection_);
  for (; left_ > 0; --left_) {
    const auto unwanted = ReadAnswers({});
    if (Broken()) return ConnectionError(location_, connection_);
  }
  return ReadAnswers(std::exchange(sent_, {}));
}

void Pipeline::Leave() {
  if (PQpipelineSync(connection_) == 1) ++left_;
  // Unread answers include whether they were prepared.
  for (const std::string& statement : std::exchange(sent_, {})) names_.erase(statement);
}

absl::Status Pipeline::Script(absl::string_view sql) {
  // Not before: it ends the mode only when nothing is on its way.
  PQexitPipelineMode(connection_);
  const ResultHandle result(PQexec(connection_, std::string(sql).c_str()));
  PQenterPipelineMode(connection_);
  if (result == nullptr) return ConnectionError(location_, connection_);
  const ExecStatusType status = PQresultStatus(result.get());
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY) {
    return absl::OkStatus();
  }
  return StatementError(location_, result.get());
}

bool SpeaksToOneProcess(PGconn* connection) {
  const ResultHandle result(PQexec(connection, "SELECT pg_backend_pid()"));
  return PQresultStatus(result.get()) == PGRES_TUPLES_OK &&
         PQgetvalue(result.get(), 0, 0) == absl::StrCat(PQbackendPID(connection));
}

}  // namespace gprofhub::store::postgres
