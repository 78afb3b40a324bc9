#include "collector/calls/grpc_call.h"

#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "base/public_message.h"
#include "collector/calls/request_id.h"
#include "proto/status_details.pb.h"

namespace gprofhub::collector {
namespace {

// gRPC drops an error whose trailers outgrow the client's metadata limit (8 KiB
// unless set), so that a long message must not travel twice in full.
constexpr size_t kMaxMessageBytes = 2000;

}  // namespace

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  std::string message = base::PublicMessageOf(status);
  if (message.size() > kMaxMessageBytes) {
    message.resize(kMaxMessageBytes);
    message += " …";
  }
  v1::StatusDetails details;
  status.ForEachPayload([&details](absl::string_view type_url, const absl::Cord& payload) {
    if (type_url == base::kPublicMessage || payload.size() > kMaxMessageBytes) return;
    google::protobuf::Any* any = details.add_details();
    any->set_type_url(std::string(type_url));
    any->set_value(std::string(payload));
  });
  const auto code = static_cast<grpc::StatusCode>(status.code());
  if (details.details_size() == 0) return grpc::Status(code, message);
  details.set_code(static_cast<int>(status.code()));
  details.set_message(message);
  return grpc::Status(code, message, details.SerializeAsString());
}

CallOrigin OriginOf(const grpc::ServerContextBase& context, absl::string_view method) {
  CallOrigin call = {"", context.peer(), std::string(method.substr(method.rfind('/') + 1))};
  const auto found = context.client_metadata().find("authorization");
  if (found != context.client_metadata().end()) {
    call.authorization.assign(found->second.data(), found->second.size());
  }
  return call;
}

std::string RequestIdOf(const grpc::ServerContextBase& context) {
  const auto found = context.client_metadata().find("traceparent");
  if (found == context.client_metadata().end()) return NewRequestId();
  return TraceIdOf(absl::string_view(found->second.data(), found->second.size()))
      .value_or(NewRequestId());
}

}  // namespace gprofhub::collector
