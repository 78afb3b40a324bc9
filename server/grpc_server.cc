#include "server/grpc_server.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "base/stop_token.h"
#include "collector/fair_pool.h"
#include "collector/method.h"
#include "server/listen/connection_gate.h"

namespace gprofhub::server {

namespace {

constexpr absl::Duration kLongestWatch = absl::Hours(1);
constexpr absl::Duration kComeBack = absl::Seconds(30);

std::string MessageOf(v1::HealthCheckResponse::ServingStatus status) {
  v1::HealthCheckResponse response;
  response.set_status(status);
  return response.SerializeAsString();
}

absl::Status Stopping() {
  return absl::UnavailableError("the server is stopping; watch again later");
}

class Checker final : public collector::CallHandler {
 public:
  explicit Checker(const IsServing& is_serving) : is_serving_(is_serving) {}

  absl::Status Receive(absl::string_view bytes) override {
    return collector::ParseBounded(bytes, request_);
  }
  absl::StatusOr<collector::NextMessage> Answer() override {
    const std::optional<bool> serving = is_serving_(request_.service());
    if (!serving.has_value()) return absl::NotFoundError("service: not served by this process");
    return collector::OneMessage(MessageOf(*serving ? v1::HealthCheckResponse::SERVING
                                                    : v1::HealthCheckResponse::NOT_SERVING));
  }

 private:
  const IsServing& is_serving_;
  v1::HealthCheckRequest request_;
};

}  // namespace

class HealthService::Watcher final : public collector::CallHandler {
 public:
  Watcher(HealthService& service, collector::CallContext context)
      : service_(service), context_(std::move(context)), place_(service.places_) {}
  ~Watcher() override { service_.Remove(*this); }

  absl::Status Receive(absl::string_view bytes) override {
    return collector::ParseBounded(bytes, request_);
  }
  absl::StatusOr<collector::NextMessage> Answer() override {
    if (!place_.Take(context_.owner, 1)) {
      return collector::Overloaded("too many streams watch this server's health; use Check",
                                   kComeBack, "WATCHERS");
    }
    RETURN_IF_ERROR(service_.Add(*this, {request_.service(), context_.send, context_.fail, {}}));
    return nullptr;
  }

 private:
  HealthService& service_;
  const collector::CallContext context_;
  collector::Holding place_;
  v1::HealthCheckRequest request_;
};

HealthService::HealthService(IsServing is_serving, const Options& options)
    : is_serving_(std::move(is_serving)),
      look_every_(options.look_every),
      places_(options.watchers),
      telling_([this] { TellOfChanges(); }) {}

HealthService::~HealthService() {
  Stop();
  telling_.join();
}

void HealthService::Stop() {
  std::map<const Watcher*, Watched> watchers;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    watchers.swap(watchers_);
    changed_.notify_all();
  }
  for (const auto& [watcher, watched] : watchers) watched.fail(Stopping());
}

std::vector<collector::Method> HealthService::Methods() {
  collector::Method check;
  check.name = "/grpc.health.v1.Health/Check";
  check.for_everybody = true;
  check.start = [this](const collector::CallContext&) {
    return std::make_unique<Checker>(is_serving_);
  };
  collector::Method watch;
  watch.name = "/grpc.health.v1.Health/Watch";
  watch.for_everybody = true;
  watch.longest = kLongestWatch;
  watch.start = [this](collector::CallContext context) {
    return std::make_unique<Watcher>(*this, std::move(context));
  };
  return {std::move(check), std::move(watch)};
}

HealthService::Status HealthService::StatusOf(const std::string& service) const {
  const std::optional<bool> serving = is_serving_(service);
  if (!serving.has_value()) return v1::HealthCheckResponse::SERVICE_UNKNOWN;
  return *serving ? v1::HealthCheckResponse::SERVING : v1::HealthCheckResponse::NOT_SERVING;
}

absl::Status HealthService::Add(const Watcher& watcher, Watched watched) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stopping_) return Stopping();
  watchers_[&watcher] = std::move(watched);
  has_new_ = true;
  changed_.notify_all();
  return absl::OkStatus();
}

void HealthService::Remove(const Watcher& watcher) {
  const std::lock_guard<std::mutex> lock(mutex_);
  watchers_.erase(&watcher);
}

void HealthService::TellOfChanges() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_) {
    std::vector<std::pair<std::function<void(std::string message)>, Status>> news;
    for (auto& [watcher, watched] : watchers_) {
      const Status status = StatusOf(watched.service);
      if (watched.sent == status) continue;
      watched.sent = status;
      news.emplace_back(watched.send, status);
    }
    has_new_ = false;
    // A call that ends meanwhile takes the lock.
    lock.unlock();
    for (const auto& [send, status] : news) send(MessageOf(status));
    news.clear();
    lock.lock();
    base::WaitFor(changed_, lock, look_every_, [this] { return stopping_ || has_new_; });
  }
}

namespace {

// A chunk is at most 1 MiB; the longest header (10,000 profiles) has less than 4.
constexpr int kMaxMessageBytes = 4 << 20;
// Memory limit for incomplete messages, of all connections together. Above it gRPC ends streams.
constexpr size_t kTransportMemoryBytes = 128u << 20;
constexpr int kMaxStreamsOfAConnection = 100;
// Flow-control window of a stream. More would be faster over long lines, and give untrusted clients
// more memory to fill.
constexpr int kUnreadBytes = 512 << 10;
// Maximum age of an encrypted connection, so that reloaded certificates, and revoked ones of
// clients, soon apply to all. Its calls end normally.
constexpr int kMaxEncryptedAgeMilliseconds = 10 * 60'000;

// Longer than the longest question and upload may take to be answered.
constexpr absl::Duration kLongestWait = absl::Minutes(15);

// For clients to close connections without calls, and for a call that has just begun.
constexpr absl::Duration kGraceOfIdle = absl::Milliseconds(300);

// Bounds on gRPC 1.51's work before a call reaches our code. docs/security.md documents, with
// figures, what these bounds achieve, and the tasks left to a reverse proxy.
void SetLimits(grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.SetResourceQuota(grpc::ResourceQuota("gprofhub").Resize(kTransportMemoryBytes));
  // gRPC inflates a message before it looks at its size. Uploads are compressed already.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kUnreadBytes);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxStreamsOfAConnection);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, 16 << 10);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_HPACK_TABLE_SIZE_DECODER, 4 << 10);
  // A connection that does not speak HTTP/2, or TLS and then HTTP/2, is closed after this time.
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 4'000);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 60'000);
  // Finds clients that vanished in the middle of a stream.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 3);
}

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(
    const ListenAddress& address, std::vector<collector::Method> methods, collector::Access access,
    const Options& options) {
  ListenAddress bound = address;
  ASSIGN_OR_RETURN(std::vector<int> listen_fds, ListenOn(bound));
  auto health = std::make_unique<HealthService>(options.is_serving);
  for (collector::Method& method : health->Methods()) methods.push_back(std::move(method));
  auto calls =
      std::make_unique<collector::CallServer>(std::move(methods), std::move(access), options.calls);
  std::unique_ptr<GrpcServer> started(
      new GrpcServer(std::move(bound), std::move(health), std::move(calls)));
  grpc::ServerBuilder builder;
  SetLimits(builder);
  if (options.certificates != nullptr) {
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS, kMaxEncryptedAgeMilliseconds);
  }
  builder.RegisterCallbackGenericService(started->calls_.get());
  started->acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
      options.certificates == nullptr ? grpc::InsecureServerCredentials()
                                      : options.certificates->ForServer());
  started->server_ = builder.BuildAndStart();
  if (started->server_ == nullptr) {
    for (const int fd : listen_fds) close(fd);
    return absl::UnavailableError("gRPC cannot start a server");
  }
  const uint64_t connections =
      options.connections > 0 ? options.connections : ConnectionsFor(RaiseDescriptorLimit());
  // gRPC requires the listening socket, but does not use it.
  const int listen_fd = listen_fds.front();
  ASSIGN_OR_RETURN(
      std::unique_ptr<ConnectionGate> gate,
      ConnectionGate::Open(
          std::move(listen_fds), connections,
          [listen_fd, acceptor = started->acceptor_.get()](int fd) {
            grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
            connection.listener_fd = listen_fd;
            connection.fd = fd;
            acceptor->HandleNewConnection(&connection);
          }));
  started->gate_ = std::move(gate);
  return started;
}

GrpcServer::GrpcServer(ListenAddress address, std::unique_ptr<HealthService> health,
                       std::unique_ptr<collector::CallServer> calls)
    : address_(std::move(address)), health_(std::move(health)), calls_(std::move(calls)) {}

absl::Status GrpcServer::CheckAlive() const {
  const absl::Duration stuck = calls_->StuckFor();
  if (stuck > kLongestWait) {
    return absl::DeadlineExceededError(
        absl::StrCat("calls have waited for ", absl::FormatDuration(stuck), " without progress"));
  }
  return ProbeAccepts(address_, *gate_->counts());
}

GrpcServer::~GrpcServer() { Stop(absl::ZeroDuration()); }

void GrpcServer::Stop(absl::Duration grace) {
  gate_.reset();
  health_->Stop();
  if (server_ == nullptr) return;
  // A connection without a call would wait as long if its client does not close it.
  const absl::Duration patience = open_calls() > 0 ? grace : std::min(grace, kGraceOfIdle);
  server_->Shutdown(absl::ToChronoTime(absl::Now() + patience));
  server_->Wait();
}

}  // namespace gprofhub::server
