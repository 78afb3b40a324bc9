#include "cli/logs/log_to_stderr.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>

#include "absl/time/clock.h"
#include "base/logs/line_budget.h"

namespace gprofhub::cli {
namespace {

constexpr char kGrpc[] = "grpc";
constexpr char kProtobuf[] = "protobuf";

// Untrusted clients can make the libraries log, for example by a failed handshake or invalid UTF-8.
// The bound keeps them from filling the disk.
class BoundedSink final : public spdlog::sinks::sink {
 public:
  explicit BoundedSink(spdlog::sink_ptr real) : real_(std::move(real)) {}

  void log(const spdlog::details::log_msg& message) override {
    if (budget_.Take(absl::Now()).has_value()) real_->log(message);
  }
  void flush() override { real_->flush(); }
  void set_pattern(const std::string& pattern) override { real_->set_pattern(pattern); }
  void set_formatter(std::unique_ptr<spdlog::formatter> formatter) override {
    real_->set_formatter(std::move(formatter));
  }

 private:
  const spdlog::sink_ptr real_;
  base::LineBudget budget_{{20, absl::Seconds(10)}};
};

// The libraries hand nothing of ours to these functions, so they find the loggers by their names.
void LogOfGrpc(gpr_log_func_args* line) {
  const std::shared_ptr<spdlog::logger> logger = spdlog::get(kGrpc);
  if (logger == nullptr) return;
  const auto level = line->severity == GPR_LOG_SEVERITY_ERROR  ? spdlog::level::err
                     : line->severity == GPR_LOG_SEVERITY_INFO ? spdlog::level::info
                                                               : spdlog::level::debug;
  logger->log(level, "{}", line->message);
}

void LogOfProtobuf(google::protobuf::LogLevel, const char*, int, const std::string& message) {
  const std::shared_ptr<spdlog::logger> logger = spdlog::get(kProtobuf);
  if (logger != nullptr) logger->warn("{}", message);
}

}  // namespace

void LogToStderr(LogFormat format) {
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  if (format == LogFormat::kJson) sink->set_color_mode(spdlog::color_mode::never);
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("gprofhub", sink));
  for (const char* library : {kGrpc, kProtobuf}) {
    spdlog::register_logger(
        std::make_shared<spdlog::logger>(library, std::make_shared<BoundedSink>(sink)));
  }
  spdlog::set_formatter(LogLines(format));
  gpr_set_log_function(LogOfGrpc);
  google::protobuf::SetLogHandler(LogOfProtobuf);
}

}  // namespace gprofhub::cli
