#include "cli/serve/process/library_logs.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace gprofhub::cli {
namespace {

// Of one library.
class OneASecond {
 public:
  void Log(const char* library, const std::string& message) {
    const int64_t second = absl::ToUnixSeconds(absl::Now());
    if (last_second_.exchange(second) == second) {
      ++left_out_;
      return;
    }
    const uint64_t others = left_out_.exchange(0);
    spdlog::warn("{}: {}{}", library, message,
                 others == 0 ? "" : fmt::format(" (and {} messages before it)", others));
  }

 private:
  std::atomic<int64_t> last_second_ = 0;
  std::atomic<uint64_t> left_out_ = 0;
};

// The libraries call these with nothing of ours, so what is counted belongs to the functions.
void LogOfGrpc(gpr_log_func_args* message) {
  static OneASecond log;
  log.Log("gRPC", message->message);
}

void LogOfProtobuf(google::protobuf::LogLevel, const char*, int, const std::string& message) {
  static OneASecond log;
  log.Log("libprotobuf", message);
}

}  // namespace

void LogLibraryErrors() {
  gpr_set_log_function(LogOfGrpc);
  google::protobuf::SetLogHandler(LogOfProtobuf);
}

}  // namespace gprofhub::cli
