// Access to the server: who can reach it, ID tokens, quotas and certificates.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/access/authorizer.h"
#include "collector/method.h"
#include "collector/quotas.h"
#include "server/listen/connection_gate.h"
#include "server/listen/listen_address.h"
#include "server/observing.h"
#include "server/page_options.h"
#include "server/part.h"
#include "store/tokens.h"

namespace gprofhub::server {

// The issuers whose ID tokens this server accepts, over the network.
struct IssuerOptions {
  std::string file;     // format: collector/access/issuers.h; empty: ID tokens are refused
  std::string ca_file;  // PEM of the issuers' authority; empty: the system's
  absl::Duration timeout = absl::Seconds(5);  // of one answer of an issuer
};

// Null if no file is named. INVALID_ARGUMENT naming the file and the place of the mistake;
// ReadFile's errors. An issuer is contacted when its first token arrives.
absl::StatusOr<collector::Authorizer::IdTokens> MakeIdTokens(const IssuerOptions& options);

struct AccessOptions {
  bool allow_anonymous = false;
  IssuerOptions issuers;
  std::string quotas_file;  // as collector/quotas.h has it; empty: no quotas
};

// Addresses of a server, and how its port for calls is protected.
struct Exposure {
  ListenAddress listen;  // for calls
  TlsFiles tls;
  PageOptions pages;
};

// Checks that unauthorised clients cannot reach the server, and authorises those that may.
class AccessControl final : public ServerPart {
 public:
  AccessControl(const ServerContext& context, const AccessOptions& options,
                const ServedRoles& roles, Exposure exposure);
  ~AccessControl() override;

  // Loads the files, which are reloaded at SIGHUP. FAILED_PRECONDITION where other machines could
  // use the server and no token exists; errors of addresses, files and the store.
  absl::Status Start() override;

  // For calls and pages, after Start; uses this object.
  collector::Access access();
  // Null: without TLS.
  ServerCertificates* certificates() { return certificates_.get(); }
  collector::Quotas& quotas() { return quotas_; }

 private:
  absl::Status CheckExposure() const;
  absl::Status CheckOpenness(const ListenAddress& address) const;
  absl::Status LoadCertificates();
  absl::Status LoadQuotas();

  const ServerContext context_;
  const AccessOptions options_;
  const ServedRoles roles_;
  const Exposure exposure_;
  collector::Quotas quotas_;
  std::unique_ptr<ServerCertificates> certificates_;
  std::unique_ptr<collector::Authorizer> authorizer_;
};

}  // namespace gprofhub::server
