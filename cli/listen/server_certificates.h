// TLS settings of a listening server: its certificate and key, and the authorities of client
// certificates. All come from files, which can be reloaded while it serves.
//
// gRPC fetches them for each new connection, so a reload applies from the next connection on, and
// existing connections continue. gRPC's C++ interface can only poll the files every second, and
// would load a half-written key. So this uses the C interface behind it
// (grpc_ssl_server_credentials_create_options_using_config_fetcher of grpc/grpc_security.h).
#pragma once

#include <grpcpp/security/server_credentials.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace gprofhub::cli {

// All PEM.
struct TlsFiles {
  std::string certificate;         // the server's, then those of authorities between; empty: no TLS
  std::string key;                 // without a password
  std::string client_authorities;  // empty: clients need no certificate
};

// Contents of the files.
struct TlsTexts {
  std::string certificate;
  std::string key;
  std::string client_authorities;
  absl::Time expires;  // the certificate
};

// Reads and checks all of it. Errors name the file: INVALID_ARGUMENT for what is no PEM, a key with
// a password, a key that is not the certificate's, a certificate that is not valid at `now`, and a
// name that is missing; ReadFile's.
absl::StatusOr<TlsTexts> ReadTlsFiles(const TlsFiles& files, absl::Time now);

// Safe to use from several threads.
class ServerCertificates {
 public:
  // Errors as ReadTlsFiles.
  static absl::StatusOr<std::unique_ptr<ServerCertificates>> Load(
      const TlsFiles& files, std::function<absl::Time()> now = absl::Now);
  ServerCertificates(const ServerCertificates&) = delete;
  ServerCertificates& operator=(const ServerCertificates&) = delete;

  // Reads the files again. After an error nothing has changed.
  absl::Status Reload();
  // When the certificate in use ends.
  absl::Time expires() const;

  // For one server, which this outlives.
  std::shared_ptr<grpc::ServerCredentials> ForServer();

 private:
  class Credentials;
  ServerCertificates(TlsFiles files, std::function<absl::Time()> now, TlsTexts texts)
      : files_(std::move(files)), now_(std::move(now)), texts_(std::move(texts)) {}

  const TlsFiles files_;
  const std::function<absl::Time()> now_;
  mutable absl::Mutex mutex_;
  TlsTexts texts_ ABSL_GUARDED_BY(mutex_);
  bool fetched_ ABSL_GUARDED_BY(mutex_) = false;  // by the server, as they are now
};

}  // namespace gprofhub::cli
