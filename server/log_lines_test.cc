#include "server/log_lines.h"

#include <gmock/gmock.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/log_fields.h"

namespace gprofhub::server {

namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// A message with all attacks: a forged line, the end of the JSON, terminal escapes, bidirectional
// overrides, invalid UTF-8.
constexpr char kHostile[] = "a\n[2026-01-01] [info] forged\"}\x1b[2J\xE9\xE2\x80\xAEz";

std::string Logged(LogFormat format, const std::string& name) {
  std::ostringstream out;
  spdlog::logger log("gprofhub", std::make_shared<spdlog::sinks::ostream_sink_mt>(out));
  log.set_formatter(LogLines(format));
  log.warn("image {}: no symbols", name);
  return out.str();
}

TEST(TextLogLines, ANameCannotForgeALine) {
  EXPECT_THAT(Logged(LogFormat::kText, kHostile),
              EndsWith("] [gprofhub] [warning] image a<U+000A>[2026-01-01] [info] "
                       "forged\"}<U+001B>[2J<0xE9><U+202E>z: no symbols\n"));
}

TEST(TextLogLines, HaveTheirFieldsAtTheEnd) {
  const base::LogFields fields{{"request", "4bf9"}, {"target", "a b} request=1\n"}};
  EXPECT_THAT(Logged(LogFormat::kText, "x"),
              EndsWith(R"(: no symbols {request=4bf9 target="a b} request=1\n"})"
                       "\n"));
}

TEST(JsonLogLines, AreAnObjectEachWhateverTheyQuote) {
  const base::LogFields fields{{"request", "4bf9"}, {"channel", kHostile}};
  const std::string line = Logged(LogFormat::kJson, kHostile);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  for (const char c : line.substr(0, line.size() - 1)) EXPECT_TRUE(' ' <= c && c <= '~') << line;
  const auto object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  ASSERT_TRUE(object.is_object()) << line;
  EXPECT_EQ(object["level"], "warning");
  EXPECT_EQ(object["logger"], "gprofhub");
  EXPECT_EQ(object["request"], "4bf9");
  EXPECT_EQ(object["message"],
            "image a\n[2026-01-01] [info] forged\"}\x1b[2J\xEF\xBF\xBD\xE2\x80\xAEz: no symbols");
  EXPECT_THAT(object["time"].get<std::string>(),
              testing::MatchesRegex("....-..-..T..:..:..\\....Z"));
}

TEST(LogLines, OfALongMessageAreCut) {
  const std::string name(1 << 20, 'x');
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const std::string line = Logged(format, name);
    EXPECT_LT(line.size(), kMaxLogMessage + 300);
    EXPECT_THAT(line, HasSubstr("bytes)"));
  }
}

}  // namespace

}  // namespace gprofhub::server
