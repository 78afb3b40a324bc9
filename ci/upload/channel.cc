#include "ci/upload/channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <chrono>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace gprofhub::ci {
namespace {

constexpr absl::string_view kEncrypted = "https://";

}  // namespace

ServerAddress ParseServerAddress(const std::string& server) {
  absl::string_view address = server;
  if (!absl::ConsumePrefix(&address, kEncrypted)) return {server, false};
  std::string target(absl::StripSuffix(address, "/"));
  const size_t colon = target.rfind(':');
  const size_t bracket = target.rfind(']');  // ends an IPv6 address
  if (colon == std::string::npos || (bracket != std::string::npos && colon < bracket)) {
    target += ":443";
  }
  return {std::move(target), true};
}

std::shared_ptr<grpc::Channel> ConnectTo(const std::string& server, const ClientTls& tls) {
  // gRPC would wait up to two minutes before it reconnects to a server that was unreachable;
  // retries are controlled here.
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  // Reports and profiles of large programs exceed gRPC's 4 MiB.
  arguments.SetMaxReceiveMessageSize(256 << 20);
  const ServerAddress address = ParseServerAddress(server);
  return grpc::CreateCustomChannel(
      address.target,
      address.is_encrypted ? grpc::SslCredentials({tls.authorities, tls.key, tls.certificate})
                           : grpc::InsecureChannelCredentials(),
      arguments);
}

bool SendsInTheClear(const std::string& server) {
  if (ParseServerAddress(server).is_encrypted || absl::StartsWith(server, "unix:")) return false;
  const absl::string_view host = absl::string_view(server).substr(0, server.rfind(':'));
  return host != "localhost" && host != "[::1]" && !absl::StartsWith(host, "127.");
}

void PrepareCall(const std::string& token, absl::Duration timeout, grpc::ClientContext& call) {
  if (!token.empty()) call.AddMetadata("authorization", absl::StrCat("Bearer ", token));
  call.set_deadline(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(timeout));
}

}  // namespace gprofhub::ci
