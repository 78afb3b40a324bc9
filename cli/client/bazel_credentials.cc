#include "cli/client/bazel_credentials.h"

#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "base/network/network.h"
#include "base/status_macros.h"

namespace gprofhub::cli {

namespace {

absl::Status BadRequest(absl::string_view problem) {
  return absl::InvalidArgumentError(
      absl::StrCat("invalid request of a credential helper: ", problem,
                   "; Bazel sends {\"uri\": \"https://HOST/…\"} to standard input"));
}

// The host of an absolute URI.
absl::StatusOr<std::string> HostOf(absl::string_view uri) {
  const size_t slashes = uri.find("://");
  if (slashes == absl::string_view::npos) return BadRequest("the uri has no scheme");
  const absl::string_view scheme = uri.substr(0, slashes);
  // Bazel writes https:// for every gRPC call; other clients of the protocol write grpcs://.
  bool is_known = false;
  for (const absl::string_view known : {"https", "http", "grpcs", "grpc"}) {
    is_known = is_known || absl::EqualsIgnoreCase(scheme, known);
  }
  if (!is_known) return BadRequest("the uri's scheme is not https, http, grpcs or grpc");
  const absl::string_view rest = uri.substr(slashes + 3);
  const absl::StatusOr<base::ServerAddress> address =
      base::ParseServerAddress(absl::StrCat("https://", rest.substr(0, rest.find_first_of("/?#"))));
  if (!address.ok()) return BadRequest("the uri has no valid host and port");
  return address->host();
}

bool IsSameHost(absl::string_view a, absl::string_view b) {
  return absl::EqualsIgnoreCase(a, b) || (base::IsLoopbackHost(a) && base::IsLoopbackHost(b));
}

// RFC 3339 has years of four digits.
bool IsExpressible(absl::Time time) {
  return time > absl::UnixEpoch() &&
         time < absl::FromCivil(absl::CivilYear(10000), absl::UTCTimeZone());
}

}  // namespace

absl::StatusOr<std::string> BazelCredentials(absl::string_view request, const std::string& server,
                                             const ci::TokenSource& token) {
  const nlohmann::json parsed = nlohmann::json::parse(request, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return BadRequest("not a JSON object");
  const auto uri = parsed.find("uri");
  if (uri == parsed.end()) return BadRequest("no \"uri\"");
  if (!uri->is_string()) return BadRequest("\"uri\" is not a string");
  ASSIGN_OR_RETURN(const std::string host, HostOf(uri->get_ref<const std::string&>()));
  ASSIGN_OR_RETURN(const base::ServerAddress own, base::ParseServerAddress(server));
  if (!IsSameHost(host, own.host())) {
    return absl::PermissionDeniedError(
        absl::StrCat("no credentials for ", host, ": the token is for ", own.host(),
                     "; set GPROFHUB_SERVER to the gprofhub server, and write "
                     "--credential_helper=HOST=PROGRAM with its host"));
  }
  ASSIGN_OR_RETURN(const std::string value, token());
  if (value.empty()) {
    return absl::UnauthenticatedError(
        absl::StrCat("no token for ", host,
                     ": set GPROFHUB_TOKEN or GPROFHUB_TOKEN_FILE, in a CI job also "
                     "GPROFHUB_ID_TOKEN or GPROFHUB_ID_TOKEN_AUDIENCE"));
  }
  const auto values = nlohmann::json::array({absl::StrCat("Bearer ", value)});
  nlohmann::json response = {{"headers", {{"authorization", values}}}};
  if (const absl::Time expiry = ci::ExpiryOfIdToken(value); IsExpressible(expiry)) {
    response["expires"] = absl::FormatTime(absl::RFC3339_sec, expiry, absl::UTCTimeZone());
  }
  return response.dump();
}

}  // namespace gprofhub::cli
