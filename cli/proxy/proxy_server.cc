#include "cli/proxy/proxy_server.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

#include <chrono>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/end_flag.h"
#include "base/printable.h"
#include "cli/proxy/peer_user.h"
#include "cli/proxy/proxied_call.h"

namespace gprofhub::cli {
namespace {

// The server takes 4 MiB; its answers may be larger.
constexpr int kMostMessageBytes = 16 << 20;
constexpr size_t kTransportMemoryBytes = 256u << 20;

// gRPC's way to end a call at once.
class Refusal final : public grpc::ServerGenericBidiReactor {
 public:
  explicit Refusal(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

absl::StatusOr<std::unique_ptr<ProxyServer>> ProxyServer::Start(
    const ListenAddress& address, std::shared_ptr<grpc::Channel> server, ci::TokenSource token,
    uid_t user) {
  const absl::StatusOr<bool> loopback = IsLoopback(address);
  if (!loopback.ok()) return loopback.status();
  if (!*loopback) {
    return absl::InvalidArgumentError(
        absl::StrCat("--listen: ", address.ToString(),
                     " can be reached from other machines, and who reaches the proxy has the "
                     "project's token: give an address of this machine alone, such as 127.0.0.1"));
  }
  std::unique_ptr<ProxyServer> started(new ProxyServer(std::move(server), std::move(token), user));
  started->address_ = address;
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(kMostMessageBytes);
  builder.SetResourceQuota(grpc::ResourceQuota("gprofhub proxy").Resize(kTransportMemoryBytes));
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 4'000);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.RegisterCallbackGenericService(started.get());
  int port = 0;
  builder.AddListeningPort(address.ToString(), grpc::InsecureServerCredentials(), &port);
  started->server_ = builder.BuildAndStart();
  if (started->server_ == nullptr || port == 0) {
    return absl::AlreadyExistsError(
        absl::StrCat("cannot listen on ", address.ToString(),
                     ": another process does, it may be; give another --listen (port 0 picks a "
                     "free one)"));
  }
  started->address_.port = static_cast<uint16_t>(port);
  return started;
}

ProxyServer::~ProxyServer() { Stop(absl::ZeroDuration()); }

void ProxyServer::Stop(absl::Duration grace) {
  if (server_ == nullptr) return;
  server_->Shutdown(absl::ToChronoTime(absl::Now() + grace));
  server_->Wait();
  server_ = nullptr;
  // gRPC is done with the calls a moment before they are.
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return open_ == 0; });
}

bool ProxyServer::AwaitQuiet(absl::Duration quiet, absl::Duration longest) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + absl::ToChronoNanoseconds(longest);
  std::unique_lock<std::mutex> lock(mutex_);
  for (Clock::time_point now = Clock::now(); now < end; now = Clock::now()) {
    if (!base::WaitFor(changed_, lock, absl::FromChrono(end - now),
                       [this] { return open_ == 0; })) {
      return false;
    }
    const uint64_t ended = ended_;
    const bool is_quiet =
        !base::WaitFor(changed_, lock, quiet, [&] { return open_ != 0 || ended_ != ended; });
    if (is_quiet) return true;
  }
  return false;
}

grpc::Status ProxyServer::CheckUser(const std::string& peer) const {
  const absl::StatusOr<uid_t> user = UserOfPeer(peer, address_.port);
  if (user.ok() && *user == user_) return grpc::Status::OK;
  std::cerr << absl::StrCat("gprofhub: a call from ", base::Printable(peer), " is refused: ",
                            user.ok()
                                ? absl::StrCat("it is of user ", *user, ", and not of ", user_)
                                : base::Printable(user.status().message()),
                            "\n");
  return {grpc::StatusCode::PERMISSION_DENIED,
          "this proxy acts with another user's token: start one of your own"};
}

grpc::ServerGenericBidiReactor* ProxyServer::CreateReactor(
    grpc::GenericCallbackServerContext* call) {
  if (const grpc::Status status = CheckUser(call->peer()); !status.ok()) return new Refusal(status);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (open_ >= kMostCalls) {
      return new Refusal({grpc::StatusCode::RESOURCE_EXHAUSTED,
                          absl::StrCat("the proxy has ", kMostCalls, " calls open")});
    }
    ++open_;
    changed_.notify_all();
  }
  const absl::StatusOr<std::string> token = token_();
  if (!token.ok()) {
    CallEnded();
    std::cerr << absl::StrCat(
        "gprofhub: no token for a call: ", base::Printable(token.status().message()), "\n");
    return new Refusal({grpc::StatusCode::UNAUTHENTICATED, std::string(token.status().message())});
  }
  return ProxiedCall::Start(stub_, *call, *token, [this] { CallEnded(); });
}

void ProxyServer::CallEnded() {
  const std::lock_guard<std::mutex> lock(mutex_);
  --open_;
  ++ended_;
  // With the lock held: who waits for the last call ends this object.
  changed_.notify_all();
}

}  // namespace gprofhub::cli
