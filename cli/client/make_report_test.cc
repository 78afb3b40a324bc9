#include "cli/client/make_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/testing/parser_runs.h"
#include "profile/target_names.h"

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
    EXPECT_THAT(std::string(status.message()), testing::StartsWith("absent is not a local path"));
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

using ::testing::HasSubstr;
using ::testing::Not;

// With one finding: parse() is called 8 times more, a quarter of the test's CPU.
v1::Report SampleReport() {
  v1::Report report;
  v1::Finding& finding = *report.add_findings();
  finding.set_verdict(v1::Finding::REGRESSED);
  finding.set_metric(v1::Finding::CALLS);
  finding.set_function("_Z5parsev");
  finding.set_function_display("parse()");
  finding.set_target("//db:test");
  finding.set_before(1);
  finding.set_after(8);
  finding.set_exact(true);
  finding.set_effect_percent(700);
  finding.set_impact(0.25);
  finding.set_material(true);
  return report;
}

// Output and exit code of PrintReport.
CommandResult Print(const ReportOutputOptions& options) {
  CommandResult result;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  result.exit_code = PrintReport(SampleReport(), options, "project");
  result.out = testing::internal::GetCapturedStdout();
  result.err = testing::internal::GetCapturedStderr();
  return result;
}

TEST(PrintReport, HasThreeFormats) {
  ReportOutputOptions options;
  EXPECT_THAT(Print(options).out, HasSubstr("parse()"));
  options.format = "markdown";
  EXPECT_THAT(Print(options).out, HasSubstr("<!-- gprofhub:project -->"));
  options.format = "json";
  EXPECT_THAT(Print(options).out, HasSubstr("\"function\": \"_Z5parsev\""));
}

TEST(PrintReport, ListsAllWhenAsked) {
  ReportOutputOptions options;
  EXPECT_THAT(Print(options).out, Not(HasSubstr("Changes (1):")));
  options.all = true;
  EXPECT_THAT(Print(options).out, HasSubstr("Changes (1):"));
}

TEST(PrintReport, TextEndsWithThePage) {
  testing::internal::CaptureStdout();
  PrintReport(SampleReport(), {}, "project", "https://pages.example/7\x1b");
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              testing::EndsWith("\n\nhttps://pages.example/7<U+001B>\n"));
}

TEST(PrintReport, HasColoursOnATerminalOnly) { EXPECT_THAT(Print({}).out, Not(HasSubstr("\x1b"))); }

TEST(PrintReport, FailsForTheVerdictsItIsToldAndFromTheShareOn) {
  ReportOutputOptions options;
  EXPECT_EQ(Print(options).exit_code, kExitOk);
  options.fail_on = {"regressed", "new"};
  const CommandResult failed = Print(options);
  EXPECT_EQ(failed.exit_code, kExitFailure);
  EXPECT_THAT(failed.err, HasSubstr("1 finding matches --fail-on:\n  parse(): regressed in "));
  EXPECT_THAT(failed.err, HasSubstr("of the test's CPU (finding "));
  options.fail_above_percent = 25;
  EXPECT_EQ(Print(options).exit_code, kExitFailure);
  options.fail_above_percent = 26;
  EXPECT_EQ(Print(options).exit_code, kExitOk);
  options.fail_above_percent = 0;
  options.fail_on = {"improved"};
  EXPECT_EQ(Print(options).exit_code, kExitOk);
}

TEST(PrintReport, APatchThatIsNotThereIsAnError) {
  ReportOutputOptions options;
  options.patch = "/nonexistent/patch";
  const CommandResult result = Print(options);
  EXPECT_EQ(result.exit_code, kExitNotFound);
  EXPECT_EQ(result.out, "");
}

std::string Arguments(const std::vector<std::pair<std::string, uint32_t>>& targets) {
  std::vector<v1::Rerun> reruns;
  for (const auto& [target, runs] : targets) {
    v1::Rerun& rerun = reruns.emplace_back();
    rerun.set_target(target);
    rerun.set_runs(runs);
  }
  return BazelArguments(reruns);
}

TEST(BazelArguments, NameTestsAndHowOften) {
  EXPECT_EQ(Arguments({}), "");
  EXPECT_EQ(Arguments({{"//b:test", 3}, {"//a:test", 1}}),
            "--runs_per_test=^//b:test$@3\n--\n//b:test\n//a:test\n");
  EXPECT_EQ(Arguments({{"//a:x+y", 2}}), "--runs_per_test=^//a:x\\+y$@2\n--\n//a:x+y\n");
}

TEST(BazelArguments, NameATestOnceForAllOfItsParts) {
  EXPECT_EQ(Arguments({{"//a:bench#BM_Insert/8", 1},
                       {"//a:bench#BM_Insert/64", 3},
                       {"//a:bench#BM_Find", 2},
                       {"//a:test", 1}}),
            "--runs_per_test=^//a:bench$@3\n--\n//a:bench\n//a:test\n");
}

// Bazel 4.2.3 runs each of these tests twice; of those with a blank, or a character beyond ASCII,
// its own scripts do not start.
TEST(BazelArguments, KeepCharactersThatBazelAllows) {
  for (const auto& [label, pattern] : std::vector<std::pair<std::string, std::string>>{
           {"//a:com,ma", R"(//a:com\,ma)"},
           {"//a:at@x", "//a:at.x"},
           {"//a:eq=1", R"(//a:eq\=1)"},
           {"//a:ti~lde", R"(//a:ti\~lde)"},
           {"//a:st*ar", R"(//a:st\*ar)"},
           {"//a:q\"q", R"(//a:q\"q)"},
           {"//a:s'q", R"(//a:s\'q)"},
           {"//a:sp ace", R"(//a:sp\ ace)"},
           {"//a:pa(r)[e]{n}", R"(//a:pa\(r\)\[e\]\{n\})"},
           {"//a:ü", "//a:ü"},
           {"@@r~1//a:t", R"([^A-Za-z0-9/]*r\~1//a:t)"}}) {
    EXPECT_EQ(Arguments({{label, 2}}), "--runs_per_test=^" + pattern + "$@2\n--\n" + label + "\n");
  }
  EXPECT_EQ(Arguments({{profile::TargetOf("//a:c#_t", ""), 1},
                       {profile::TargetOf("//a:c#_t", "BM_X"), 2}}),
            "--runs_per_test=^//a:c\\#_t$@2\n--\n//a:c#_t\n");
}

TEST(BazelArguments, LeaveOutWhatCannotBePrinted) {
  EXPECT_EQ(Arguments({{"//a:t\n--config=x", 1}}), "");
}

}  // namespace

}  // namespace gprofhub::cli
