#include "cli/output/make_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {
namespace {

ComparisonRequest Between(const std::string& base, const std::string& head) {
  ComparisonRequest request;
  request.server.server = "127.0.0.1:1";  // a closed port
  request.base = base;
  request.head = head;
  return request;
}

TEST(MakeReport, ComparesLocalProfilesWithoutAServer) {
  EmptyTestFolder();
  const std::string before = RunsFolder("before", kParserBefore, 2).string();
  const std::string after = RunsFolder("after", kParserAfter, 1).string();
  const ComparisonRequest request = Between(before, after);
  EXPECT_TRUE(IsLocal(request));
  const auto report = MakeReport(request);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->compared().base().run_id(), before);
  EXPECT_EQ(report->compared().base().executions(), 2u);
  EXPECT_EQ(report->compared().baseline_reason(), "given");
  ASSERT_GT(report->findings_size(), 0);
  EXPECT_EQ(report->findings(0).function(), "next");
}

TEST(MakeReport, NamesTheSideThatIsNoPath) {
  const std::string folder = EmptyTestFolder().string();
  for (const ComparisonRequest& request : {Between(folder, "absent"), Between("absent", folder)}) {
    EXPECT_FALSE(IsLocal(request));
    const absl::Status status = MakeReport(request).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
    EXPECT_THAT(std::string(status.message()), testing::StartsWith("absent is no file or folder"));
  }
}

TEST(MakeReport, AnImageIsForLocalProfilesOnly) {
  ComparisonRequest request = Between("1", "2");
  request.image = kParserBefore;
  EXPECT_EQ(MakeReport(request).status().code(), absl::StatusCode::kNotFound);
}

TEST(MakeReport, AsksTheServerForRuns) {
  EXPECT_EQ(MakeReport(Between("1", "2")).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace gprofhub::cli
