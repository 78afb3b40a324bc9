// The answer to calls that this process does not serve.
#pragma once

#include <grpcpp/generic/async_generic_service.h>

#include <string>
#include <utility>

namespace gprofhub::cli {

// Answers every call that no other service takes with UNIMPLEMENTED, and says which call that is
// and what this process does instead: gRPC itself answers with an empty message. Where a server's
// roles are split over processes, clients are easily given the wrong address.
class UnknownCalls final : public grpc::CallbackGenericService {
 public:
  // `roles`: of this process, as --role names them.
  explicit UnknownCalls(std::string roles) : roles_(std::move(roles)) {}

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* call) override;

 private:
  const std::string roles_;
};

}  // namespace gprofhub::cli
