// The gRPC server of `gprofhub serve`: its limits, health and reflection.
#pragma once

#include <grpcpp/server.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/listen/listen_address.h"
#include "cli/serve/unknown_calls.h"

namespace gprofhub::cli {

// A server that listens and answers; stops when destroyed.
class GrpcServer {
 public:
  // `services` outlive the server. `roles` are those of this process, as --role names them: what
  // it does not serve is answered with them. Errors as CheckCanListen.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(
      const ListenAddress& address, const std::vector<grpc::Service*>& services,
      const std::string& roles);

  ~GrpcServer();
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  // With the port that was picked.
  const ListenAddress& address() const { return address_; }

  // Takes no new calls; those under way have `grace` to end, then are cancelled.
  // Returns when all have ended.
  void Stop(absl::Duration grace);

 private:
  GrpcServer(ListenAddress address, std::unique_ptr<UnknownCalls> unknown_calls,
             std::unique_ptr<grpc::Server> server);

  const ListenAddress address_;
  const std::unique_ptr<UnknownCalls> unknown_calls_;
  const std::unique_ptr<grpc::Server> server_;
};

}  // namespace gprofhub::cli
