#include "cli/serve/grpc_server.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/listen/probe_accepts.h"
#include "cli/serve/health.h"

namespace gprofhub::cli {
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
  absl::StatusOr<std::vector<int>> listen_fds = ListenOn(bound);
  if (!listen_fds.ok()) return listen_fds.status();
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
    for (const int fd : *listen_fds) close(fd);
    return absl::UnavailableError("gRPC does not start a server");
  }
  const uint64_t connections =
      options.connections > 0 ? options.connections : ConnectionsFor(RaiseDescriptorLimit());
  // gRPC requires the listening socket, but does not use it.
  const int listen_fd = listen_fds->front();
  absl::StatusOr<std::unique_ptr<ConnectionGate>> gate = ConnectionGate::Open(
      *std::move(listen_fds), connections,
      [listen_fd, acceptor = started->acceptor_.get()](int fd) {
        grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
        connection.listener_fd = listen_fd;
        connection.fd = fd;
        acceptor->HandleNewConnection(&connection);
      });
  if (!gate.ok()) return gate.status();
  started->gate_ = *std::move(gate);
  return started;
}

GrpcServer::GrpcServer(ListenAddress address, std::unique_ptr<HealthService> health,
                       std::unique_ptr<collector::CallServer> calls)
    : address_(std::move(address)), health_(std::move(health)), calls_(std::move(calls)) {}

absl::Status GrpcServer::CheckAlive() const {
  const absl::Duration stuck = calls_->StuckFor();
  if (stuck > kLongestWait) {
    return absl::DeadlineExceededError(
        absl::StrCat("calls have waited for ", absl::FormatDuration(stuck), " without getting on"));
  }
  return ProbeAccepts(address_, *gate_->counts());
}

GrpcServer::~GrpcServer() { Stop(absl::ZeroDuration()); }

void GrpcServer::Stop(absl::Duration grace) {
  gate_.reset();
  health_->Stop();
  if (server_ == nullptr) return;
  server_->Shutdown(absl::ToChronoTime(absl::Now() + grace));
  server_->Wait();
}

}  // namespace gprofhub::cli
