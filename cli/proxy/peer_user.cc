#include "cli/proxy/peer_user.h"

#include <arpa/inet.h>

#include <array>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/percent_coding.h"

namespace gprofhub::cli {
namespace {

// As the tables write an address: its 32-bit words as numbers of this machine.
std::string Words(const uint8_t* bytes, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
    uint32_t word = 0;
    std::memcpy(&word, bytes + i, sizeof(word));
    absl::StrAppend(&text, absl::StrFormat("%08X", word));
  }
  return text;
}

// "127.0.0.1:41234" as "0100007F:A112"; empty for what is no address.
std::string InTable(const std::string& peer) {
  const std::string decoded = base::PercentDecoded(peer);
  absl::string_view rest = decoded;
  const int family = absl::ConsumePrefix(&rest, "ipv4:")   ? AF_INET
                     : absl::ConsumePrefix(&rest, "ipv6:") ? AF_INET6
                                                           : AF_UNSPEC;
  const size_t colon = rest.rfind(':');
  uint32_t port = 0;
  if (family == AF_UNSPEC || colon == absl::string_view::npos ||
      !absl::SimpleAtoi(rest.substr(colon + 1), &port)) {
    return "";
  }
  std::string host(rest.substr(0, colon));
  if (family == AF_INET6) host = host.size() < 2 ? "" : host.substr(1, host.size() - 2);
  std::array<uint8_t, 16> bytes = {};
  if (inet_pton(family, host.c_str(), bytes.data()) != 1) return "";
  return absl::StrCat(Words(bytes.data(), family == AF_INET ? 4 : 16), ":",
                      absl::StrFormat("%04X", port));
}

}  // namespace

std::optional<uid_t> UserInTable(absl::string_view table, const std::string& peer, uint16_t port) {
  const std::string local = InTable(peer);
  if (local.empty()) return std::nullopt;
  // A socket of IPv6 that speaks IPv4 (RFC 4291, 2.5.5.2): gRPC's clients have such.
  const std::string mapped = absl::StrCat("0000000000000000FFFF0000", local);
  const std::string remote_end = absl::StrFormat(":%04X", port);
  std::optional<uid_t> found;
  for (const absl::string_view line : absl::StrSplit(table, '\n')) {
    // sl, local address, remote address, state, queues, timer, retransmits, uid, …
    const std::vector<absl::string_view> fields =
        absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    constexpr size_t kUser = 7;
    constexpr absl::string_view kTimeWait = "06";  // nobody's any more, and shown as root's
    uint32_t user = 0;
    if (fields.size() <= kUser || (fields[1] != local && fields[1] != mapped) ||
        !absl::EndsWith(fields[2], remote_end) || fields[3] == kTimeWait ||
        !absl::SimpleAtoi(fields[kUser], &user)) {
      continue;
    }
    if (found.has_value() && *found != user) return std::nullopt;
    found = user;
  }
  return found;
}

absl::StatusOr<uid_t> UserOfPeer(const std::string& peer, uint16_t port) {
  std::ostringstream tables;
  for (const char* path : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    if (std::ifstream file(path); file) tables << file.rdbuf();
  }
  if (const std::optional<uid_t> user = UserInTable(tables.str(), peer, port); user.has_value()) {
    return *user;
  }
  if (!std::ifstream("/proc/net/tcp")) {
    return absl::UnavailableError("/proc/net/tcp cannot be read");
  }
  return absl::NotFoundError(absl::StrCat(peer, " is at no open connection that is one user's"));
}

}  // namespace gprofhub::cli
