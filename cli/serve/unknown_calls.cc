#include "cli/serve/unknown_calls.h"

#include <grpcpp/support/status.h>

#include "absl/strings/str_cat.h"
#include "base/printable.h"

namespace gprofhub::cli {
namespace {

constexpr size_t kShownBytes = 100;  // of a name that anybody may have sent

// gRPC's way to end a call at once.
class Refusal final : public grpc::ServerGenericBidiReactor {
 public:
  explicit Refusal(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

grpc::ServerGenericBidiReactor* UnknownCalls::CreateReactor(
    grpc::GenericCallbackServerContext* call) {
  const std::string method = base::Shortened(base::Printable(call->method()), kShownBytes);
  return new Refusal(
      grpc::Status(grpc::StatusCode::UNIMPLEMENTED,
                   absl::StrCat("it does not serve ", method, "; its roles: ", roles_)));
}

}  // namespace gprofhub::cli
