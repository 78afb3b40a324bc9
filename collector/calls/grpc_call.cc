#include "collector/calls/grpc_call.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>

#include <memory>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "base/public_message.h"
#include "collector/access/certificate.h"
#include "collector/calls/request_id.h"
#include "proto/status_details.pb.h"

namespace gprofhub::collector {
namespace {

// gRPC drops an error whose trailers exceed the client's metadata limit (8 KiB unless set), so a
// long message is not sent twice in full.
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

namespace {

std::string MetadataOf(const grpc::ServerContextBase& context, const char* name) {
  const auto found = context.client_metadata().find(name);
  if (found == context.client_metadata().end()) return "";
  return std::string(found->second.data(), found->second.size());
}

// Empty: the client presented none. gRPC has verified it.
std::string CertificateOf(const grpc::ServerContextBase& context) {
  const std::shared_ptr<const grpc::AuthContext> peer = context.auth_context();
  if (peer == nullptr || !peer->IsPeerAuthenticated()) return "";
  const std::vector<grpc::string_ref> pem =
      peer->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  if (pem.empty()) return "";
  return FingerprintOf({pem.front().data(), pem.front().size()}).value_or("");
}

}  // namespace

CallOrigin OriginOf(const grpc::ServerContextBase& context, absl::string_view method) {
  CallOrigin call = {MetadataOf(context, "authorization"), context.peer(),
                     std::string(method.substr(method.rfind('/') + 1))};
  if (call.authorization.empty()) call.certificate = CertificateOf(context);
  return call;
}

std::string RequestMetadataOf(const grpc::ServerContextBase& context) {
  return MetadataOf(context, "build.bazel.remote.execution.v2.requestmetadata-bin");
}

std::string RequestIdOf(const grpc::ServerContextBase& context) {
  return TraceIdOf(MetadataOf(context, "traceparent")).value_or(NewRequestId());
}

}  // namespace gprofhub::collector
