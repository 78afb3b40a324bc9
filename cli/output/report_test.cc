#include "cli/output/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/testing/command_line.h"

namespace gprofhub::cli {
namespace {

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

TEST(PrintReport, HasColoursOnATerminalOnly) { EXPECT_THAT(Print({}).out, Not(HasSubstr("\x1b"))); }

TEST(PrintReport, FailsForTheVerdictsItIsToldAndFromTheShareOn) {
  ReportOutputOptions options;
  EXPECT_EQ(Print(options).exit_code, kExitOk);
  options.fail_on = {"regressed", "new"};
  const CommandResult failed = Print(options);
  EXPECT_EQ(failed.exit_code, kExitFailure);
  EXPECT_THAT(failed.err, HasSubstr("1 finding that --fail-on names"));
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

}  // namespace
}  // namespace gprofhub::cli
