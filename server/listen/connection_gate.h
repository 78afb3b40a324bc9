// Accepts connections in gRPC's place. gRPC 1.51 accepts connections until descriptors run out, and
// its listener does not recover from that. This one enforces a limit.
#pragma once

#include <grpcpp/security/server_credentials.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "collector/fair_pool.h"
#include "server/listen/listen_address.h"

namespace gprofhub::server {

// Maximum number of connections for a limit of descriptors: two descriptors for each, and a reserve
// for everything else.
uint64_t ConnectionsFor(uint64_t descriptors);

// Raises the process's soft limit on descriptors to the hard one; returns the limit.
uint64_t RaiseDescriptorLimit();

// Counters of a gate. A shared copy outlives the gate.
struct ConnectionCounts {
  std::atomic<uint64_t> accepted = 0;  // since the start, with those that were refused
  std::atomic<uint64_t> refused = 0;   // of them
  std::atomic<uint64_t> open = 0;      // now
};

class ConnectionGate {
 public:
  // Takes ownership of the descriptor, and shuts it down before closing it. Called by the gate's
  // thread.
  using Take = std::function<void(int fd)>;

  // Accepts from these sockets, which are non-blocking and which the gate closes. At most
  // `connections` at one time; one peer (base::ClientAt) has at most a
  // third of them. Further connections are closed at once. Errors: epoll_create failed.
  static absl::StatusOr<std::unique_ptr<ConnectionGate>> Open(std::vector<int> listen_fds,
                                                              uint64_t connections, Take take);
  std::shared_ptr<const ConnectionCounts> counts() const { return counts_; }

  // Stops accepting. Connections that were taken stay open.
  ~ConnectionGate();
  ConnectionGate(const ConnectionGate&) = delete;
  ConnectionGate& operator=(const ConnectionGate&) = delete;

 private:
  ConnectionGate(std::vector<int> listen_fds, int epoll_fd, int stop_fd, uint64_t connections,
                 Take take);
  void Run();
  bool IsListening(int fd) const;
  // False where no descriptor is left.
  bool AcceptAll();
  bool AcceptAllFrom(int listen_fd);
  void Admit(int fd, const std::string& peer);
  void Forget(int watched_fd);

  const std::vector<int> listen_fds_;
  const int epoll_fd_;
  const int stop_fd_;
  const Take take_;
  collector::FairShare places_;
  // For each connection a second descriptor, which only reports its end; the value is its peer.
  std::unordered_map<int, std::string> watched_;
  const std::shared_ptr<ConnectionCounts> counts_ = std::make_shared<ConnectionCounts>();
  std::thread thread_;
};

// Whether connections are still accepted.

// Connects to the address and closes the connection as soon as the gate has accepted it, whether it
// admits it or not. DEADLINE_EXCEEDED if it does not within a few seconds. OK if this process has
// no free descriptor for the probe: then the gate pauses, and resumes automatically.
absl::Status ProbeAccepts(const ListenAddress& address, const ConnectionCounts& gate);

// TLS settings of a listening server: its certificate and key, and the authorities of client
// certificates. All come from files, which can be reloaded while it serves.
//
// gRPC fetches them for each new connection, so a reload applies from the next connection on, and
// existing connections continue. gRPC's C++ interface can only poll the files every second, and
// would load a half-written key. So this uses the C interface behind it
// (grpc_ssl_server_credentials_create_options_using_config_fetcher of grpc/grpc_security.h).

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

}  // namespace gprofhub::server
