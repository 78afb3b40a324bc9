#include "cli/serve/health.h"

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "collector/calls/bounded_parse.h"
#include "proto/health.pb.h"

namespace gprofhub::cli {
namespace {

class HealthHandler final : public collector::CallHandler {
 public:
  explicit HealthHandler(IsServing is_serving) : is_serving_(std::move(is_serving)) {}

  absl::Status Receive(absl::string_view bytes) override {
    return collector::ParseBounded(bytes, request_);
  }
  absl::StatusOr<collector::NextMessage> Answer() override {
    const std::optional<bool> serving = is_serving_(request_.service());
    if (!serving.has_value()) return absl::NotFoundError("service: is none of this process");
    v1::HealthCheckResponse response;
    response.set_status(*serving ? v1::HealthCheckResponse::SERVING
                                 : v1::HealthCheckResponse::NOT_SERVING);
    return collector::OneMessage(response.SerializeAsString());
  }

 private:
  const IsServing is_serving_;
  v1::HealthCheckRequest request_;
};

}  // namespace

collector::Method HealthMethod(IsServing is_serving) {
  collector::Method health;
  health.name = "/grpc.health.v1.Health/Check";
  health.for_everybody = true;
  health.start = [is_serving = std::move(is_serving)](const collector::CallContext&) {
    return std::make_unique<HealthHandler>(is_serving);
  };
  return health;
}

}  // namespace gprofhub::cli
