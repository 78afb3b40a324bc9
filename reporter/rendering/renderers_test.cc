// Reports in all output formats.
#include <gtest/gtest.h>

#include <string>

#include "proto/findings.pb.h"
#include "reporter/rendering/markdown.h"
#include "reporter/testing/sample_reports.h"

namespace gprofhub::reporter {

namespace {

struct Renderer {
  const char* name;
  std::string (*render)(const v1::Report& report);
};

class RenderersTest : public testing::TestWithParam<Renderer> {};

TEST_P(RenderersTest, WithoutSamplesSaysThatNoShareIsKnown) {
  const std::string text = GetParam().render(UnsampledReport());
  EXPECT_NE(text.find("1 change of calls without a known share of CPU (no samples)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("about 59% of the test's calls (share of CPU not known: no samples)"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("of the test's CPU"), std::string::npos) << text;
  EXPECT_EQ(text.find(" CPU (+"), std::string::npos) << text;
}

TEST(RenderText, SaysWhetherATotalTimeIsMeasured) {
  for (const bool measured : {false, true}) {
    const std::string text = RenderText(TotalsReport(measured), {.all = true});
    const char* const words = measured ? "total time (measured)" : "total time (estimated)";
    const char* const others = measured ? "(estimated)" : "(measured)";
    EXPECT_NE(text.find(words), std::string::npos) << text;
    EXPECT_EQ(text.find(others), std::string::npos) << text;
  }
}

const Renderer kRenderers[] = {
    {"Markdown", [](const v1::Report& report) { return RenderMarkdown(report, {}); }},
    {"Text", [](const v1::Report& report) { return RenderText(report, {.all = true}); }},
};

INSTANTIATE_TEST_SUITE_P(Of, RenderersTest, testing::ValuesIn(kRenderers),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace

}  // namespace gprofhub::reporter
