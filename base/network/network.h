// What a client needs before it connects: the server's address, the proxy on the way, and secrets
// that can be sent as headers.
#pragma once

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::base {

// Secrets and other texts in HTTP headers and gRPC metadata.

// Whether every character is printable ASCII. gRPC aborts on other metadata, and logs it; in HTTP a
// line end begins another header.
bool IsHeaderText(absl::string_view text);

// A secret that is sent in a header: `value` without surrounding white space. INVALID_ARGUMENT,
// with `source` (the file or variable) and without the value, if the rest is not printable ASCII.
absl::StatusOr<std::string> HeaderSecret(absl::string_view source, absl::string_view value);

// Addresses of gprofhub servers.

struct ServerAddress {
  std::string target;  // "host:port"; of an IPv6 address "[address]:port"
  bool is_encrypted = false;

  std::string host() const { return target.substr(0, target.rfind(':')); }
};

// Address as users write it: "host:port" without encryption, or "https://host[:port]" for TLS, with
// port 443 by default; also as "grpc://host:port" and "grpcs://host[:port]". Surrounding white
// space and a trailing slash are dropped. INVALID_ARGUMENT for anything else, with the form to use.
absl::StatusOr<ServerAddress> ParseServerAddress(absl::string_view server);

// Whether a host, by name or address, is this machine. Brackets of IPv6 addresses are optional.
bool IsLoopbackHost(absl::string_view host);

// Key of the client at an address, for shares and limits: an IPv4 address, also one that is mapped
// into IPv6; of another IPv6 address its network of 64 bits, which one subscriber has. `address` is
// numeric, with or without brackets and zone; any other text is a client of its own.
std::string ClientAt(absl::string_view address);

// Proxies.

// The value of an environment variable; null if it is not set.
using GetVariable = std::function<const char*(const char* name)>;

struct Proxy {
  std::string url;       // "http://[user[:password]@]host:port", or of another scheme
  std::string variable;  // names the proxy

  // For messages: the URL without user and password, and the variable.
  std::string Display() const;
};

// The proxy for a URL of a scheme http, https, smtp, smtps, grpc or grpcs (gRPC without and with
// TLS); nullopt: connect directly. Loopback is never proxied. Apart from that the rules are curl's
// (curl.se/docs/manpage.html, "Environment"; CURLOPT_NOPROXY of libcurl): SCHEME_proxy, then
// all_proxy names the proxy, in lower or, except for http_proxy, in upper case; no_proxy or
// NO_PROXY lists exceptions. gRPC reads grpc_proxy, then https_proxy with TLS or http_proxy
// without, and no_grpc_proxy before no_proxy. Exceptions are separated by commas or blanks: "*"; a
// domain, which includes its subdomains, optionally after "." or "*."; an address; a network such
// as 10.0.0.0/8. A domain or an address may end with a port.
std::optional<Proxy> ProxyFor(absl::string_view url, const GetVariable& variable = std::getenv);

}  // namespace gprofhub::base
