// An authority's certificates as files, for a server and its clients.
#pragma once

#include <grpcpp/security/credentials.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/testing/certificates.h"

namespace gprofhub::tests {

// A folder with the authority's ca.pem, and server.pem and server.key of 127.0.0.1.
class TlsFolder {
 public:
  TlsFolder();

  const base::TestAuthority& authority() const { return *authority_; }
  std::string Path(const std::string& name) const;

  // Options of `gprofhub serve`.
  std::vector<std::string> ServeOptions() const;
  // Those, and that clients need a certificate of this authority.
  std::vector<std::string> ServeOptionsForKnownClients() const;

  // Credentials of a client without a certificate.
  std::shared_ptr<grpc::ChannelCredentials> ClientCredentials() const;
  // What a client with the certificate NAME.pem connects with.
  std::shared_ptr<grpc::ChannelCredentials> ClientCredentials(const std::string& name) const;

  // Writes NAME.pem and NAME.key of 127.0.0.1.
  void Issue(const std::string& name, absl::Duration lifetime = absl::Hours(48)) const;
  // Server certificates come from a new authority from now on, whose own is ca.pem then.
  void ChangeAuthority();
  void Write(const std::string& name, const std::string& text) const;

 private:
  std::string Read(const std::string& name) const;

  const std::string folder_;
  std::unique_ptr<base::TestAuthority> authority_;
};

}  // namespace gprofhub::tests
