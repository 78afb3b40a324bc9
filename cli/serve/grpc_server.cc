#include "cli/serve/grpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace gprofhub::cli {
namespace {

// A chunk is at most 1 MiB; the longest header (10,000 profiles) has less than 4.
constexpr int kMaxMessageBytes = 8 << 20;
constexpr size_t kTransportMemoryBytes = 256u << 20;
constexpr int kMaxCallThreads = 64;

// bookworm's gRPC 1.51 can be made to spend memory and threads before any call
// is authenticated. These bounds make that dearer; they do not make it safe to
// face the open network (docs/team.md puts nginx in front).
void SetLimits(grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.SetResourceQuota(
      grpc::ResourceQuota("gprofhub").Resize(kTransportMemoryBytes).SetMaxThreads(kMaxCallThreads));
  // Without this, two servers share one port without a word.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxCallThreads);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, 16 << 10);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_HPACK_TABLE_SIZE_DECODER, 4 << 10);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 5 * 60'000);
  // Finds clients that vanished in the middle of a stream.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 3);
}

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(
    const ListenAddress& address, const std::vector<grpc::Service*>& services,
    const std::string& roles) {
  if (absl::Status status = CheckCanListen(address); !status.ok()) return status;
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  SetLimits(builder);
  int port = 0;
  builder.AddListeningPort(address.ToString(), grpc::InsecureServerCredentials(), &port);
  for (grpc::Service* service : services) builder.RegisterService(service);
  auto unknown_calls = std::make_unique<UnknownCalls>(roles);
  builder.RegisterCallbackGenericService(unknown_calls.get());
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr || port == 0) {
    return absl::UnavailableError(absl::StrCat("cannot listen on ", address.ToString()));
  }
  server->GetHealthCheckService()->SetServingStatus(true);
  ListenAddress bound = address;
  bound.port = static_cast<uint16_t>(port);
  return std::unique_ptr<GrpcServer>(
      new GrpcServer(std::move(bound), std::move(unknown_calls), std::move(server)));
}

GrpcServer::GrpcServer(ListenAddress address, std::unique_ptr<UnknownCalls> unknown_calls,
                       std::unique_ptr<grpc::Server> server)
    : address_(std::move(address)),
      unknown_calls_(std::move(unknown_calls)),
      server_(std::move(server)) {}

GrpcServer::~GrpcServer() { Stop(absl::ZeroDuration()); }

void GrpcServer::Stop(absl::Duration grace) {
  server_->Shutdown(absl::ToChronoTime(absl::Now() + grace));
  server_->Wait();
}

}  // namespace gprofhub::cli
