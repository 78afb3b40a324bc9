#include "cli/serve/health.h"

#include <memory>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "collector/calls/bounded_parse.h"
#include "proto/health.pb.h"

namespace gprofhub::cli {
namespace {

using Services = std::set<std::string, std::less<>>;

class HealthHandler final : public collector::CallHandler {
 public:
  explicit HealthHandler(const Services& services) : services_(services) {}

  absl::Status Receive(absl::string_view bytes) override {
    return collector::ParseBounded(bytes, request_);
  }
  absl::StatusOr<collector::NextMessage> Answer() override {
    if (!request_.service().empty() && services_.count(request_.service()) == 0) {
      return absl::NotFoundError("service: is none of this process");
    }
    v1::HealthCheckResponse response;
    response.set_status(v1::HealthCheckResponse::SERVING);
    return collector::OneMessage(response.SerializeAsString());
  }

 private:
  const Services services_;
  v1::HealthCheckRequest request_;
};

// "package.Service" of "/package.Service/Method".
std::string ServiceOf(absl::string_view method) {
  return std::string(method.substr(1, method.rfind('/') - 1));
}

}  // namespace

collector::Method HealthMethod(const std::vector<collector::Method>& methods) {
  Services services;
  for (const collector::Method& method : methods) services.insert(ServiceOf(method.name));
  collector::Method health;
  health.name = "/grpc.health.v1.Health/Check";
  health.for_everybody = true;
  health.start = [services = std::move(services)](const collector::CallContext&) {
    return std::make_unique<HealthHandler>(services);
  };
  return health;
}

}  // namespace gprofhub::cli
