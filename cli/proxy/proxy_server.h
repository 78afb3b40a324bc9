// A server on this machine that passes every call on to another, with the project's token: for
// clients that cannot send one themselves, such as Bazel 4 to its build event service.
//
// Whoever it takes calls of acts with that token. So it listens on loopback only, and answers
// processes of its own user only: on a machine that several share, the others' reach its port, too.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/server.h>
#include <sys/types.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ci/upload/token_source.h"
#include "cli/listen/listen_address.h"

namespace gprofhub::cli {

class ProxyServer final : public grpc::CallbackGenericService {
 public:
  // Calls at one time.
  static constexpr uint64_t kMostCalls = 2000;

  // INVALID_ARGUMENT for an address that other machines reach; errors as ListenOn. `token` is asked
  // for each call: it may block for a moment. `user`: whose processes are answered.
  static absl::StatusOr<std::unique_ptr<ProxyServer>> Start(const ListenAddress& address,
                                                            std::shared_ptr<grpc::Channel> server,
                                                            ci::TokenSource token,
                                                            uid_t user = geteuid());
  ~ProxyServer() override;
  ProxyServer(const ProxyServer&) = delete;
  ProxyServer& operator=(const ProxyServer&) = delete;

  // With the port that was picked.
  const ListenAddress& address() const { return address_; }

  // Waits until no call has been open for `quiet`, for at most `longest`; whether that was so.
  bool AwaitQuiet(absl::Duration quiet, absl::Duration longest);

  // Takes no new calls; those under way have `grace` to end.
  void Stop(absl::Duration grace);

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* call) override;

 private:
  ProxyServer(std::shared_ptr<grpc::Channel> server, ci::TokenSource token, uid_t user)
      : stub_(std::move(server)), token_(std::move(token)), user_(user) {}

  grpc::Status CheckUser(const std::string& peer) const;

  void CallEnded();

  ListenAddress address_;
  grpc::GenericStub stub_;
  const ci::TokenSource token_;
  const uid_t user_;
  std::mutex mutex_;
  std::condition_variable changed_;  // what follows
  // Guarded by the mutex.
  uint64_t open_ = 0;
  uint64_t ended_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace gprofhub::cli
