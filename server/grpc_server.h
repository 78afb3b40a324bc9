// The gRPC server of `gprofhub serve`: client authentication, and the transport's limits.
#pragma once

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/call_server.h"
#include "collector/fair_pool.h"
#include "collector/method.h"
#include "proto/health.pb.h"
#include "server/listen/connection_gate.h"
#include "server/listen/listen_address.h"

namespace gprofhub::server {

// grpc.health.v1.Health, for monitoring.
//
// Needs no token. Check returns SERVING, NOT_SERVING, or NOT_FOUND for a name that this process
// does not have. Watch streams that status, and every change of it, for an hour at most. As any
// client may hold streams open for that time, there are few, and peers share them. Source:
// https://github.com/grpc/grpc/blob/v1.51.1/doc/health-checking.md

// Whether a service is serving, "" being the server as a whole; nullopt: this process has no
// service of that name. Must not block.
using IsServing = std::function<std::optional<bool>(const std::string& service)>;

class HealthService {
 public:
  struct Options {
    // Streams of Watch at one time; a peer has at most half.
    uint64_t watchers = 512;
    // Polling interval of statuses.
    absl::Duration look_every = absl::Seconds(1);
  };

  explicit HealthService(IsServing is_serving) : HealthService(std::move(is_serving), Options()) {}
  HealthService(IsServing is_serving, const Options& options);
  // The call server that has its methods has ended.
  ~HealthService();
  HealthService(const HealthService&) = delete;
  HealthService& operator=(const HealthService&) = delete;

  // For a CallServer; the service outlives it.
  std::vector<collector::Method> Methods();

  // Ends all streams, and accepts no more: watchers move to another process.
  void Stop();

 private:
  class Watcher;
  using Status = v1::HealthCheckResponse::ServingStatus;

  struct Watched {
    std::string service;
    std::function<void(std::string message)> send;
    std::function<void(const absl::Status& status)> fail;
    std::optional<Status> sent;
  };

  Status StatusOf(const std::string& service) const;
  // Sends the status soon, and whenever it changes; the errors are Stop's and those of too many.
  absl::Status Add(const Watcher& watcher, Watched watched);
  void Remove(const Watcher& watcher);
  void TellOfChanges();

  const IsServing is_serving_;
  const absl::Duration look_every_;
  collector::FairShare places_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex. Writes to watchers happen outside it, on one thread.
  std::map<const Watcher*, Watched> watchers_;
  bool has_new_ = false;
  bool stopping_ = false;
  std::thread telling_;
};

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
  // have ended; soon, if none is running.
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

}  // namespace gprofhub::server
