// libpq's PQconninfoParse is the reference for URLs. But it is not strict. If a password has a
// slash that is not encoded, libpq takes the rest for the name of the database and shows it in
// messages. If a URL has two passwords, libpq names only one. So the parts are checked here, too.
#include "store/postgres/location.h"

#include <libpq-fe.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/percent_coding.h"

namespace gprofhub::store::postgres {
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

// libpq's parameter `options` with the limits of the server's, percent-encoded.
std::string ServerOptions(const PostgresOptions& options) {
  const auto set = [](absl::string_view name, absl::Duration limit) {
    return absl::StrCat("-c%20", name, "%3D", absl::ToInt64Milliseconds(limit));
  };
  return absl::StrCat(set("statement_timeout", options.statement), "%20",
                      set("lock_timeout", options.lock), "%20",
                      set("idle_in_transaction_session_timeout", options.idle_in_transaction));
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
  if (!absl::ConsumePrefix(&rest, "postgresql://") && !absl::ConsumePrefix(&rest, "postgres://")) {
    return absl::InvalidArgumentError("a PostgreSQL URL begins with postgresql://");
  }
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
  if (absl::Status status = CheckByLibpq(location); !status.ok()) return status;
  return location;
}

std::string WithoutSecrets(const Location& location, absl::string_view message) {
  std::string clean(message);
  for (const std::string& secret : location.secrets) {
    absl::StrReplaceAll({{secret, "***"}}, &clean);
  }
  return clean;
}

}  // namespace gprofhub::store::postgres
