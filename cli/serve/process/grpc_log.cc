#include "cli/serve/process/grpc_log.h"

#include <grpc/support/log.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstdint>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace gprofhub::cli {
namespace {

// gRPC calls this with nothing of ours, so what it counts belongs to the function.
void Log(gpr_log_func_args* message) {
  static std::atomic<int64_t> last_second = 0;
  static std::atomic<uint64_t> left_out = 0;
  const int64_t second = absl::ToUnixSeconds(absl::Now());
  if (last_second.exchange(second) == second) {
    ++left_out;
    return;
  }
  const uint64_t others = left_out.exchange(0);
  spdlog::warn("gRPC: {}{}", message->message,
               others == 0 ? "" : fmt::format(" (and {} messages before it)", others));
}

}  // namespace

void LogGrpcErrors() { gpr_set_log_function(Log); }

}  // namespace gprofhub::cli
