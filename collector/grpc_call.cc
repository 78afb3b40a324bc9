#include "collector/grpc_call.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>
#include <sys/random.h>

#include <array>
#include <memory>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/hash.h"
#include "base/network/network.h"
#include "base/status.h"
#include "collector/access/authorizer.h"
#include "proto/status_details.pb.h"

namespace gprofhub::collector {

namespace {

bool IsZero(absl::string_view text) {
  return text.find_first_not_of('0') == absl::string_view::npos;
}

}  // namespace

std::string ClientOfPeer(absl::string_view peer) {
  absl::string_view address = peer;
  if (!absl::ConsumePrefix(&address, "ipv4:") && !absl::ConsumePrefix(&address, "ipv6:")) {
    return std::string(peer);
  }
  return base::ClientAt(absl::StrReplaceAll(address.substr(0, address.rfind(':')),
                                            {{"%5B", "["}, {"%5D", "]"}, {"%25", "%"}}));
}

// version "-" trace-id "-" parent-id "-" flags: 2, 32, 16 and 2 digits.
std::optional<std::string> TraceIdOf(absl::string_view traceparent) {
  constexpr size_t kLength = 2 + 1 + kRequestIdLength + 1 + 16 + 1 + 2;
  if (traceparent.size() < kLength) return std::nullopt;
  const absl::string_view version = traceparent.substr(0, 2);
  const absl::string_view trace = traceparent.substr(3, kRequestIdLength);
  const absl::string_view parent = traceparent.substr(36, 16);
  const absl::string_view flags = traceparent.substr(53, 2);
  const bool parted = traceparent[2] == '-' && traceparent[35] == '-' && traceparent[52] == '-';
  if (!parted || !base::IsLowerHex(version) || !base::IsLowerHex(trace) ||
      !base::IsLowerHex(parent) || !base::IsLowerHex(flags) || version == "ff" || IsZero(trace) ||
      IsZero(parent)) {
    return std::nullopt;
  }
  const bool ends = traceparent.size() == kLength;
  if (!ends && (version == "00" || traceparent[kLength] != '-')) return std::nullopt;
  return std::string(trace);
}

std::string NewRequestId() {
  std::array<char, kRequestIdLength / 2> bytes = {};
  // getrandom fills up to 256 bytes completely. Before the kernel's generator is seeded it returns
  // an error: then the id is all zero, and the call continues.
  (void)!getrandom(bytes.data(), bytes.size(), GRND_NONBLOCK);
  return absl::BytesToHexString(absl::string_view(bytes.data(), bytes.size()));
}

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
