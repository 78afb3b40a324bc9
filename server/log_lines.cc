#include "server/log_lines.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/log_fields.h"
#include "base/text.h"
#include "base/work_loop.h"

namespace gprofhub::server {

namespace {

std::string MessageOf(const spdlog::details::log_msg& message) {
  const absl::string_view all(message.payload.data(), message.payload.size());
  if (all.size() <= kMaxLogMessage) return std::string(all);
  return absl::StrCat(all.substr(0, kMaxLogMessage), " … (", all.size(), " bytes)");
}

std::string Dumped(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/true,
                    nlohmann::ordered_json::error_handler_t::replace);
}

// As it is, or as JSON has it where it could be taken for something else.
std::string Quoted(const std::string& value) {
  const bool plain = std::all_of(value.begin(), value.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::string_view("-_./:@+").find(c) != absl::string_view::npos;
  });
  return plain ? value : Dumped(value);
}

// Stands in the place of spdlog's own %v.
class PrintableMessage : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& line) override {
    std::string text = base::Printable(MessageOf(message));
    std::string fields;
    for (const auto& [name, value] : base::LogFields::Current()) {
      absl::StrAppend(&fields, fields.empty() ? "" : " ", name, "=", Quoted(value));
    }
    if (!fields.empty()) absl::StrAppend(&text, " {", fields, "}");
    line.append(text.data(), text.data() + text.size());
  }

  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
    return std::make_unique<PrintableMessage>();
  }
};

class JsonLines final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) override {
    nlohmann::ordered_json object;
    object["time"] = absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromChrono(message.time),
                                      absl::UTCTimeZone());
    const auto level = spdlog::level::to_string_view(message.level);
    object["level"] = std::string(level.data(), level.size());
    object["logger"] = std::string(message.logger_name.data(), message.logger_name.size());
    object["message"] = MessageOf(message);
    for (const auto& [name, value] : base::LogFields::Current()) {
      object[std::string(name)] = value;
    }
    const std::string text = absl::StrCat(Dumped(object), "\n");
    line.append(text.data(), text.data() + text.size());
  }

  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonLines>();
  }
};

}  // namespace

std::unique_ptr<spdlog::formatter> LogLines(LogFormat format) {
  if (format == LogFormat::kJson) return std::make_unique<JsonLines>();
  auto text = std::make_unique<spdlog::pattern_formatter>();
  text->add_flag<PrintableMessage>('v').set_pattern("[%Y-%m-%d %H:%M:%S.%e] [%n] [%^%l%$] %v");
  return text;
}

namespace {

constexpr char kGrpc[] = "grpc";
constexpr char kProtobuf[] = "protobuf";

// Untrusted clients can make the libraries log, for example by a failed handshake or invalid UTF-8.
// The bound keeps them from filling the disk.
class BoundedSink final : public spdlog::sinks::sink {
 public:
  explicit BoundedSink(spdlog::sink_ptr real) : real_(std::move(real)) {}

  void log(const spdlog::details::log_msg& message) override {
    if (budget_.Take(base::MonotonicNow()).has_value()) real_->log(message);
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

}  // namespace gprofhub::server
