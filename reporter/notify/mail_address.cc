#include "reporter/notify/mail_address.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace gprofhub::reporter {
namespace {

bool IsHostCharacter(char c) { return absl::ascii_isalnum(c) || c == '-' || c == '.'; }

bool IsHost(absl::string_view host) {
  return !host.empty() && host.size() <= 253 && host.front() != '-' && host.front() != '.' &&
         std::all_of(host.begin(), host.end(), IsHostCharacter);
}

// "HOST[:PORT]" after the scheme; empty for another URL.
absl::string_view AuthorityOf(absl::string_view url) {
  if (!absl::ConsumePrefix(&url, "smtp://") && !absl::ConsumePrefix(&url, "smtps://")) return "";
  absl::ConsumeSuffix(&url, "/");
  return url;
}

absl::string_view HostOf(absl::string_view authority) {
  const bool bracketed = absl::StartsWith(authority, "[");
  return authority.substr(0, bracketed ? authority.find(']') + 1 : authority.find(':'));
}

}  // namespace

bool IsMailAddress(absl::string_view text) {
  const size_t at = text.find('@');
  if (text.size() > 254 || at == 0 || at == absl::string_view::npos || at > 64) return false;
  const absl::string_view local = text.substr(0, at);
  return IsHost(text.substr(at + 1)) && std::all_of(local.begin(), local.end(), [](char c) {
           return absl::ascii_isalnum(c) || absl::StrContains("!#$%&'*+-/=?^_`{|}~.", c);
         });
}

absl::Status CheckSmtpUrl(absl::string_view url) {
  const absl::string_view authority = AuthorityOf(url);
  const absl::string_view host = HostOf(authority);
  absl::string_view rest = authority.substr(host.size());
  uint32_t port = 0;
  // SimpleAtoi accepts blanks around the number.
  const bool port_good =
      rest.empty() || (absl::ConsumePrefix(&rest, ":") &&
                       std::all_of(rest.begin(), rest.end(), absl::ascii_isdigit) &&
                       absl::SimpleAtoi(rest, &port) && port > 0 && port < 65536);
  if ((IsHost(host) || host == "[::1]") && port_good) return absl::OkStatus();
  return absl::InvalidArgumentError("the URL is not of the form smtp://HOST:PORT");
}

bool IsLoopbackSmtp(absl::string_view url) {
  const absl::string_view host = HostOf(AuthorityOf(url));
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

}  // namespace gprofhub::reporter
