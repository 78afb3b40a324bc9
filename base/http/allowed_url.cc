#include "base/http/allowed_url.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace gprofhub::base {

absl::Status CheckHttpUrl(absl::string_view url) {
  absl::string_view rest = url;
  const bool encrypted = absl::ConsumePrefix(&rest, "https://");
  if (encrypted || absl::ConsumePrefix(&rest, "http://")) {
    const absl::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    const bool bracketed = absl::StartsWith(authority, "[");
    const absl::string_view host =
        authority.substr(0, bracketed ? authority.find(']') + 1 : authority.find(':'));
    const bool loopback = host == "127.0.0.1" || host == "localhost" || host == "[::1]";
    // URL parsers disagree about backslashes.
    const bool plain = std::none_of(url.begin(), url.end(), [](unsigned char c) {
      return absl::ascii_iscntrl(c) || absl::ascii_isspace(c) || c == '\\';
    });
    absl::string_view port = authority.substr(host.size());
    const bool port_good =
        port.empty() || (absl::ConsumePrefix(&port, ":") &&
                         std::all_of(port.begin(), port.end(), absl::ascii_isdigit));
    if (plain && !host.empty() && !absl::StrContains(host, '@') && port_good &&
        (encrypted || loopback)) {
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat(url.substr(0, 200), ": only https is spoken beyond this machine"));
}

}  // namespace gprofhub::base
