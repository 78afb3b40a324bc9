#include "cli/output/upload_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gprofhub::cli {
namespace {

using ::testing::HasSubstr;

TEST(UploadSummary, TextSaysWhatArrived) {
  ci::UploadSummary summary;
  summary.executions = 4;
  summary.already_present = 1;
  summary.cached = 2;
  summary.profiles = 6;
  summary.images = {"aa"};
  summary.bytes_sent = 1'300'000;
  summary.bytes_total = 25'000'000;
  summary.run_ids = {"7"};
  summary.skipped = {"x"};
  EXPECT_EQ(UploadSummaryText(summary, std::string(40, 'a'), false),
            "Uploaded 4 executions (1 already there, 2 answered from Bazel's cache) of commit "
            "aaaaaaaaaaaa: 6 profiles, 1 image, 1300 kB sent of 25.0 MB.\n"
            "Run: 7\n"
            "Left out: 1; the reasons are on stderr.\n");
}

TEST(UploadSummary, JsonSurvivesNamesThatAreNoUtf8) {
  ci::UploadSummary summary;
  summary.skipped = {"\xff\x1b[31m"};
  summary.status = absl::UnavailableError("down");
  const std::string json = UploadSummaryJson(summary, "c", true);
  EXPECT_THAT(json, HasSubstr("\"error\": \"down\""));
  EXPECT_THAT(json, HasSubstr("\\u001b[31m"));
}

TEST(UploadSummary, TextDoesNotCommandTheTerminal) {
  ci::UploadSummary summary;
  summary.run_ids = {"7\x1b[2J"};
  EXPECT_THAT(UploadSummaryText(summary, "c", false), HasSubstr("Run: 7<U+001B>[2J\n"));
}

}  // namespace
}  // namespace gprofhub::cli
