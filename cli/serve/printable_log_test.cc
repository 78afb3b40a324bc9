#include "cli/serve/printable_log.h"

#include <gmock/gmock.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <memory>
#include <sstream>
#include <string>

namespace gprofhub::cli {
namespace {

using ::testing::EndsWith;

TEST(PrintableLogLines, ANameCannotForgeALine) {
  std::ostringstream out;
  spdlog::logger log("gprofhub", std::make_shared<spdlog::sinks::ostream_sink_mt>(out));
  log.set_formatter(PrintableLogLines());
  log.warn("image {}: no symbols", "a\n[2026-01-01] [info] forged\x1b[2J\xE9");
  EXPECT_THAT(out.str(), EndsWith("] [gprofhub] [warning] image a<U+000A>[2026-01-01] [info] "
                                  "forged<U+001B>[2J<0xE9>: no symbols\n"));
}

}  // namespace
}  // namespace gprofhub::cli
