#include "base/network/network.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gprofhub::base {

bool IsHeaderText(absl::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return absl::ascii_isprint(c); });
}

absl::StatusOr<std::string> HeaderSecret(absl::string_view source, absl::string_view value) {
  const absl::string_view secret = absl::StripAsciiWhitespace(value);
  if (IsHeaderText(secret)) return std::string(secret);
  absl::string_view why = "a control character";
  if (absl::StartsWith(secret, "\xEF\xBB\xBF")) {
    why = "a UTF-8 byte order mark";
  } else if (secret.find_first_of("\r\n") != absl::string_view::npos) {
    why = "a line end";
  } else if (!std::all_of(secret.begin(), secret.end(),
                          [](unsigned char c) { return absl::ascii_isascii(c); })) {
    why = "a character that is not ASCII, such as a typographic quote";
  }
  return absl::InvalidArgumentError(absl::StrCat(
      source, ": contains ", why, "; it must be one line of printable ASCII characters"));
}

namespace {

struct HostAndPort {
  absl::string_view host;  // with the brackets of an IPv6 address
  absl::string_view port;  // empty: none
};

// Splits "host[:port]", "[address][:port]" or an IPv6 address without brackets.
HostAndPort SplitHostAndPort(absl::string_view authority) {
  const size_t colon = authority.rfind(':');
  const size_t bracket = authority.rfind(']');
  const bool has_port =
      colon != absl::string_view::npos &&
      (bracket == absl::string_view::npos ? authority.find(':') == colon : colon == bracket + 1);
  if (!has_port) return {authority, ""};
  return {authority.substr(0, colon), authority.substr(colon + 1)};
}

absl::string_view WithoutBrackets(absl::string_view host) {
  absl::string_view inner = host;
  return absl::ConsumePrefix(&inner, "[") && absl::ConsumeSuffix(&inner, "]") ? inner : host;
}

// An IPv4 address as IPv6 has it (RFC 4291, 2.5.5.2), so that the two compare.
using IpAddress = std::array<unsigned char, 16>;
constexpr int kIpv4Offset = 96;
constexpr int kSubscriberBits = 64;

std::optional<IpAddress> ParseIp(absl::string_view host, bool* is_ipv4 = nullptr) {
  // Without the zone of an IPv6 address.
  const std::string text(host.substr(0, host.find('%')));
  IpAddress address = {};
  in_addr four;
  const bool ipv4 = !text.empty() && inet_aton(text.c_str(), &four) != 0;
  if (is_ipv4 != nullptr) *is_ipv4 = ipv4;
  if (!ipv4) {
    if (inet_pton(AF_INET6, text.c_str(), address.data()) != 1) return std::nullopt;
    return address;
  }
  address[10] = address[11] = 0xff;
  std::memcpy(&address[12], &four, sizeof four);
  return address;
}

bool SharesBits(const IpAddress& a, const IpAddress& b, int bits) {
  for (int bit = 0; bit < bits; ++bit) {
    const int mask = 0x80 >> (bit % 8);
    const auto byte = static_cast<size_t>(bit / 8);
    if ((a[byte] & mask) != (b[byte] & mask)) return false;
  }
  return true;
}

bool IsPort(absl::string_view text) {
  int port = 0;
  return std::all_of(text.begin(), text.end(), absl::ascii_isdigit) &&
         absl::SimpleAtoi(text, &port) && port >= 1 && port <= 65535;
}

absl::Status BadAddress(absl::string_view server, absl::string_view problem) {
  return absl::InvalidArgumentError(
      absl::StrCat("the server's address ", server, server.empty() ? "" : " ", problem,
                   "; use HOST:PORT without TLS, or https://HOST[:PORT] with TLS"));
}

}  // namespace

absl::StatusOr<ServerAddress> ParseServerAddress(absl::string_view server) {
  const absl::string_view text = absl::StripAsciiWhitespace(server);
  // May contain a password, or characters that a terminal obeys.
  if (absl::StrContains(text, '@')) return BadAddress("", "must not contain a user or password");
  if (!IsHeaderText(text) || absl::StrContains(text, ' ')) {
    return BadAddress("", "contains a blank or a character that is not printable ASCII");
  }
  absl::string_view rest = text;
  const size_t slashes = text.find("://");
  const absl::string_view scheme =
      slashes == absl::string_view::npos ? absl::string_view() : text.substr(0, slashes);
  const bool is_encrypted =
      absl::EqualsIgnoreCase(scheme, "https") || absl::EqualsIgnoreCase(scheme, "grpcs");
  if (slashes != absl::string_view::npos) rest.remove_prefix(slashes + 3);
  absl::ConsumeSuffix(&rest, "/");
  if (absl::EqualsIgnoreCase(scheme, "http")) {
    return BadAddress(
        text, absl::StrCat("is an address of pages (--http of gprofhub serve); give that of its "
                           "--listen, such as ",
                           SplitHostAndPort(rest.substr(0, rest.find('/'))).host, ":7070"));
  }
  if (slashes != absl::string_view::npos && !is_encrypted &&
      !absl::EqualsIgnoreCase(scheme, "grpc")) {
    return BadAddress(text, absl::StrCat("must not begin with ", scheme, "://: write ", rest));
  }
  if (absl::StrContains(rest, '/')) return BadAddress(text, "must not contain a path");
  const HostAndPort parts = SplitHostAndPort(rest);
  const absl::string_view inner = WithoutBrackets(parts.host);
  if (inner.empty()) return BadAddress(text, "has no host");
  if (absl::StrContains(inner, ':') && (inner == parts.host || !ParseIp(inner).has_value())) {
    return BadAddress(text, "has more than one colon: write an IPv6 address as [ADDRESS]:PORT");
  }
  if (rest.size() == parts.host.size()) {
    if (!is_encrypted) {
      return BadAddress(text, absl::StrCat("has no port: write ", rest, ":7070"));
    }
    return ServerAddress{absl::StrCat(rest, ":443"), true};
  }
  if (!IsPort(parts.port)) return BadAddress(text, "has a port that is not from 1 to 65535");
  return ServerAddress{std::string(rest), is_encrypted};
}

bool IsLoopbackHost(absl::string_view host) {
  const std::string name = absl::AsciiStrToLower(absl::StripSuffix(WithoutBrackets(host), "."));
  if (name == "localhost" || absl::EndsWith(name, ".localhost")) return true;
  const std::optional<IpAddress> address = ParseIp(name);
  if (!address.has_value()) return false;
  // Connecting to the unspecified address connects to this machine.
  for (const auto& [loopback, bits] : {std::pair("127.0.0.0", 104), std::pair("0.0.0.0", 128),
                                       std::pair("::", 128), std::pair("::1", 128)}) {
    if (SharesBits(*address, *ParseIp(loopback), bits)) return true;
  }
  return false;
}

std::string ClientAt(absl::string_view address) {
  const std::optional<IpAddress> parsed = ParseIp(WithoutBrackets(address));
  if (!parsed.has_value()) return std::string(address);
  const auto begin = parsed->begin();
  if (SharesBits(*parsed, *ParseIp("0.0.0.0"), kIpv4Offset)) {
    return absl::StrCat(
        "4:", absl::BytesToHexString(std::string(begin + kIpv4Offset / 8, parsed->end())));
  }
  return absl::StrCat("6:",
                      absl::BytesToHexString(std::string(begin, begin + kSubscriberBits / 8)));
}

namespace {

// Empty: not set, or set to nothing.
std::string ValueOf(const GetVariable& variable, const std::string& name) {
  const char* const value = variable(name.c_str());
  return value == nullptr ? "" : std::string(absl::StripAsciiWhitespace(value));
}

// Variables that name the proxy of a scheme, in order.
std::vector<std::string> ProxyVariables(absl::string_view scheme) {
  std::vector<std::string> schemes = {std::string(scheme)};
  if (scheme == "grpc") schemes = {"grpc", "http"};
  if (scheme == "grpcs") schemes = {"grpc", "https"};
  schemes.emplace_back("all");
  std::vector<std::string> names;
  for (const std::string& each : schemes) {
    const std::string name = absl::StrCat(each, "_proxy");
    names.push_back(name);
    // Under CGI a client of the server chooses HTTP_PROXY.
    if (each != "http") names.push_back(absl::AsciiStrToUpper(name));
  }
  return names;
}

std::string Exceptions(absl::string_view scheme, const GetVariable& variable) {
  std::vector<std::string> names = {"no_proxy", "NO_PROXY"};
  if (absl::StartsWith(scheme, "grpc")) names.insert(names.begin(), "no_grpc_proxy");
  for (const std::string& name : names) {
    std::string value = ValueOf(variable, name);
    if (!value.empty()) return value;
  }
  return "";
}

// Whether an entry of no_proxy means the host, in lower case and without brackets and a last dot.
bool IsException(absl::string_view entry, const std::string& host, absl::string_view port) {
  if (entry == "*") return true;
  const std::optional<IpAddress> address = ParseIp(host);
  const std::pair<absl::string_view, absl::string_view> network =
      absl::StrSplit(entry, absl::MaxSplits('/', 1));
  if (absl::StrContains(entry, '/')) {
    bool is_ipv4 = false;
    int bits = 0;
    const auto base = ParseIp(WithoutBrackets(network.first), &is_ipv4);
    if (!address.has_value() || !base.has_value() || !absl::SimpleAtoi(network.second, &bits)) {
      return false;
    }
    const int most = is_ipv4 ? 32 : 128;
    return bits >= 0 && bits <= most &&
           SharesBits(*address, *base, is_ipv4 ? bits + kIpv4Offset : bits);
  }
  const HostAndPort parts = SplitHostAndPort(entry);
  if (!parts.port.empty() && parts.port != port) return false;
  absl::string_view name = WithoutBrackets(parts.host);
  if (address.has_value()) return ParseIp(name) == address;
  absl::ConsumePrefix(&name, "*");
  absl::ConsumePrefix(&name, ".");
  absl::ConsumeSuffix(&name, ".");
  const std::string domain = absl::AsciiStrToLower(name);
  return !domain.empty() && (host == domain || absl::EndsWith(host, "." + domain));
}

absl::string_view DefaultPort(absl::string_view scheme) {
  if (scheme == "http") return "80";
  if (scheme == "https") return "443";
  if (scheme == "smtp") return "25";
  return scheme == "smtps" ? "465" : "";
}

// Adds curl's defaults: the scheme http, and its port 1080.
std::string CompleteProxyUrl(absl::string_view given) {
  std::string url =
      absl::StrContains(given, "://") ? std::string(given) : absl::StrCat("http://", given);
  const size_t begin = url.find("://") + 3;
  url.resize(std::min(url.find_first_of("/?#", begin), url.size()));
  const absl::string_view authority = absl::string_view(url).substr(begin);
  // A password may contain "@".
  const size_t at = authority.rfind('@');
  const bool has_port =
      !SplitHostAndPort(at == absl::string_view::npos ? authority : authority.substr(at + 1))
           .port.empty();
  if (!has_port && absl::StartsWithIgnoreCase(url, "http:")) url += ":1080";
  return url;
}

}  // namespace

std::string Proxy::Display() const {
  const size_t begin = url.find("://") + 3;
  const size_t at = url.rfind('@');
  return absl::StrCat(url.substr(0, begin),
                      at == std::string::npos ? url.substr(begin) : url.substr(at + 1), " (",
                      variable, ")");
}

std::optional<Proxy> ProxyFor(absl::string_view url, const GetVariable& variable) {
  const size_t slashes = url.find("://");
  if (slashes == absl::string_view::npos) return std::nullopt;
  const std::string scheme = absl::AsciiStrToLower(url.substr(0, slashes));
  const absl::string_view rest = url.substr(slashes + 3);
  const HostAndPort parts = SplitHostAndPort(rest.substr(0, rest.find_first_of("/?#")));
  const absl::string_view port = parts.port.empty() ? DefaultPort(scheme) : parts.port;
  if (IsLoopbackHost(parts.host)) return std::nullopt;
  const std::string host =
      absl::AsciiStrToLower(absl::StripSuffix(WithoutBrackets(parts.host), "."));
  for (const absl::string_view entry : absl::StrSplit(
           Exceptions(scheme, variable), absl::ByAnyChar(", \t\r\n"), absl::SkipEmpty())) {
    if (IsException(entry, host, port)) return std::nullopt;
  }
  for (const std::string& name : ProxyVariables(scheme)) {
    const std::string value = ValueOf(variable, name);
    if (!value.empty()) return Proxy{CompleteProxyUrl(value), name};
  }
  return std::nullopt;
}

}  // namespace gprofhub::base
