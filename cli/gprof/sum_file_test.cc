#include "cli/gprof/sum_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analyzer/exports/exports.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;

std::string Refusal(const std::string& format, unsigned wanted) {
  GprofOptions options;
  options.program = "gprof";
  options.export_format = format;
  options.wanted = wanted;
  return std::string(CheckExport(options).message());
}

TEST(CheckExport, EveryFormatHasTheProfile) {
  for (const std::string& format : analyzer::NamesOf(analyzer::ExportFormats())) {
    EXPECT_EQ(Refusal(format, 0), "");
    EXPECT_EQ(Refusal(format, kFlatListing | kGraphListing), "");
  }
}

TEST(CheckExport, OnlyJsonHasTheFurtherListings) {
  const unsigned all =
      kAnnotatedSource | kExecutionCounts | kFileInfo | kFunctionOrder | kFileOrder;
  EXPECT_EQ(Refusal("json", all), "");
  for (const std::string& format : analyzer::NamesOf(analyzer::ExportFormats())) {
    if (format == "json") continue;
    EXPECT_THAT(Refusal(format, kAnnotatedSource), HasSubstr("the listing of -A"));
    EXPECT_THAT(Refusal(format, kExecutionCounts), HasSubstr("the listing of -C"));
    EXPECT_THAT(Refusal(format, kFileInfo), HasSubstr("the listing of -i"));
    EXPECT_THAT(Refusal(format, kFunctionOrder), HasSubstr("the listing of -r"));
    EXPECT_EQ(Refusal(format, kFileOrder),
              "gprof: --format: " + format + " cannot contain the listing of -R; use json");
  }
}

TEST(CheckExport, ASumIsNoExport) {
  EXPECT_THAT(Refusal("json", kSum), HasSubstr("-s, which only writes gmon.sum"));
}

TEST(CheckExport, ADumpIsNoPartOfAnExport) {
  GprofOptions options;
  options.program = "gprof";
  options.export_format = "json";
  options.debug = 64;
  EXPECT_EQ(CheckExport(options).message(),
            "gprof: --format: cannot be combined with -d, which prints its dump to the same "
            "output; omit one of them");
}

TEST(CheckExport, AnUnknownFormatIsNamedWithTheKnownOnes) {
  EXPECT_THAT(Refusal("xml", kFunctionOrder), HasSubstr("unknown format 'xml'"));
}

}  // namespace

}  // namespace gprofhub::cli
