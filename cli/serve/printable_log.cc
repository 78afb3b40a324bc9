#include "cli/serve/printable_log.h"

#include <spdlog/pattern_formatter.h>

#include <string>

#include "absl/strings/string_view.h"
#include "base/printable.h"

namespace gprofhub::cli {
namespace {

// Stands in the place of spdlog's own %v.
class PrintableMessage : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& line) override {
    const std::string text =
        base::Printable(absl::string_view(message.payload.data(), message.payload.size()));
    line.append(text.data(), text.data() + text.size());
  }

  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
    return std::make_unique<PrintableMessage>();
  }
};

}  // namespace

std::unique_ptr<spdlog::formatter> PrintableLogLines() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PrintableMessage>('v').set_pattern("[%Y-%m-%d %H:%M:%S.%e] [%n] [%^%l%$] %v");
  return formatter;
}

}  // namespace gprofhub::cli
