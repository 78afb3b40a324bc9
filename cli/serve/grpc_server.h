// The gRPC server of `gprofhub serve`: client authentication, and the transport's limits.
#pragma once

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/listen/connection_gate.h"
#include "cli/listen/listen_address.h"
#include "cli/listen/server_certificates.h"
#include "cli/serve/health.h"
#include "collector/calls/call_server.h"
#include "collector/calls/method.h"

namespace gprofhub::cli {

// A server that listens and answers; stops when destroyed.
class GrpcServer {
 public:
  struct Options {
    // At one time; 0: as many as the process has descriptors for.
    uint64_t connections = 0;
    // Connections are encrypted with these, which outlive the server; null: in the clear.
    ServerCertificates* certificates = nullptr;
    collector::CallServer::Options calls;
    // Source of the health service's responses.
    IsServing is_serving = [](const std::string&) { return true; };
  };

  // Serves the health service in addition to `methods`. The data that these, `access` and `options`
  // use outlives the server. Errors as ListenOn.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(const ListenAddress& address,
                                                           std::vector<collector::Method> methods,
                                                           collector::Access access,
                                                           const Options& options);

  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  // With the port that was picked.
  const ListenAddress& address() const { return address_; }

  // Whether connections are accepted and calls get on. Takes a few seconds at most.
  absl::Status CheckAlive() const;

  std::shared_ptr<const ConnectionCounts> connections() const { return gate_->counts(); }
  size_t open_calls() const { return calls_->open_calls(); }

  // Accepts no new calls; running ones have `grace` to end, then are cancelled. Returns when all
  // have ended.
  void Stop(absl::Duration grace);

 private:
  GrpcServer(ListenAddress address, std::unique_ptr<HealthService> health,
             std::unique_ptr<collector::CallServer> calls);

  const ListenAddress address_;
  const std::unique_ptr<HealthService> health_;
  const std::unique_ptr<collector::CallServer> calls_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<ConnectionGate> gate_;
};

}  // namespace gprofhub::cli
