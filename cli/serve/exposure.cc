#include "cli/serve/exposure.h"

#include <spdlog/spdlog.h>

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::cli {
namespace {

// Warnings for a server that other machines reach. With required client certificates, no other
// client reaches HTTP/2.
void WarnOfExposure(const ServeOptions& options) {
  if (!options.tls.client_authorities.empty()) return;
  spdlog::warn(
      "{} can be reached from other machines{}, and this server is exposed to attacks that only a "
      "front stops. Let it listen on loopback behind the front of deploy/nginx.conf, or demand "
      "certificates of clients with --tls-client-ca (docs/security.md)",
      options.listen.ToString(),
      options.tls.certificate.empty()
          ? ", and nothing is encrypted: tokens and profiles can be read on the way"
          : "");
}

// Without tokens, every client that reaches a port may use it.
absl::Status CheckOpenness(const store::Tokens& tokens, const ServeOptions& options,
                           const ListenAddress& address) {
  const absl::StatusOr<bool> has_tokens = tokens.WereCreated();
  if (!has_tokens.ok()) return has_tokens.status();
  if (*has_tokens || !options.issuers.file.empty()) return absl::OkStatus();
  if (options.allow_anonymous) {
    spdlog::warn("{} is open to everybody who reaches it: no token exists", address.ToString());
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(address.ToString(),
                   " can be reached from other machines and no token exists: make one with "
                   "`gprofhub token create`, or give --allow-anonymous"));
}

}  // namespace

absl::Status CheckExposure(const store::Tokens& tokens, const ServeOptions& options) {
  const absl::StatusOr<bool> loopback = IsLoopback(options.listen);
  if (!loopback.ok()) return loopback.status();
  if (!*loopback) {
    WarnOfExposure(options);
    absl::Status status = CheckOpenness(tokens, options, options.listen);
    if (!status.ok()) return status;
  }
  const absl::StatusOr<std::optional<ListenAddress>> pages = BeyondLoopback(options.pages);
  if (!pages.ok()) return pages.status();
  if (!options.query || !pages->has_value()) return absl::OkStatus();
  return CheckOpenness(tokens, options, **pages);
}

}  // namespace gprofhub::cli
