#include "cli/bisect/find_question.h"

#include <gtest/gtest.h>

#include "reporter/findings/finding_id.h"
#include "reporter/rendering/json.h"

namespace gprofhub::cli {
namespace {

v1::Report MakeReport() {
  v1::Report report;
  report.mutable_compared()->set_configuration("k8-opt-gprof_lines");
  v1::Finding& calls = *report.add_findings();
  calls.set_metric(v1::Finding::CALLS);
  calls.set_target("//db:test");
  calls.set_function("next");
  calls.set_caller("parse");
  calls.set_before(10);
  calls.set_after(80);
  v1::Finding& whole = *report.add_findings();
  whole = calls;
  whole.clear_caller();
  v1::Finding& time = *report.add_findings();
  time = whole;
  time.set_metric(v1::Finding::SELF_TIME);
  return report;
}

TEST(FindQuestion, TakesTheFindingWithTheId) {
  const v1::Report report = MakeReport();
  const auto sought = FindQuestion(report, reporter::FindingId(report.findings(0)));
  ASSERT_TRUE(sought.ok()) << sought.status();
  EXPECT_EQ(sought->question, (Question{"//db:test", "next", "parse"}));
  EXPECT_EQ(sought->configuration, "k8-opt-gprof_lines");
  EXPECT_EQ(sought->levels.before, 10);
  EXPECT_EQ(sought->levels.after, 80);
}

TEST(FindQuestion, TakesTheBeginningOfAnId) {
  const v1::Report report = MakeReport();
  const std::string id = reporter::FindingId(report.findings(1));
  EXPECT_EQ(FindQuestion(report, id.substr(0, 4))->question.caller, "");
  EXPECT_TRUE(absl::IsNotFound(FindQuestion(report, id.substr(0, 3)).status()));
  EXPECT_TRUE(absl::IsNotFound(FindQuestion(report, "").status()));
}

TEST(FindQuestion, RefusesATime) {
  const v1::Report report = MakeReport();
  const auto sought = FindQuestion(report, reporter::FindingId(report.findings(2)));
  ASSERT_TRUE(absl::IsInvalidArgument(sought.status()));
  EXPECT_NE(sought.status().message().find("is about self_time of next"), std::string::npos);
}

TEST(ReadReportJson, ReadsWhatAReportPrints) {
  const v1::Report report = MakeReport();
  const auto read = ReadReportJson(reporter::RenderJson(report), "report.json");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->findings_size(), 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(reporter::FindingId(read->findings(i)), reporter::FindingId(report.findings(i)));
  }
  EXPECT_EQ(read->findings(0).after(), 80);
  EXPECT_EQ(read->compared().configuration(), "k8-opt-gprof_lines");
}

TEST(ReadReportJson, RefusesAnythingElse) {
  for (const char* text : {"", "[]", "{}", R"({"compared": {"configuration": ""}, "findings": 3})",
                           R"({"compared": {"configuration": ""}, "findings": [{"metric": 1}]})"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ReadReportJson(text, "x.json").status())) << text;
  }
}

TEST(OptionsOf, AreThoseThatMakeTheConfiguration) {
  EXPECT_EQ(OptionsOf("k8-opt-gprof_lines").configuration, "gprof_lines");
  EXPECT_EQ(OptionsOf("k8-opt-gprof_lines").compilation_mode, "--compilation_mode=opt");
  EXPECT_EQ(OptionsOf("k8-dbg-gprof").compilation_mode, "--compilation_mode=dbg");
  EXPECT_EQ(OptionsOf("").configuration, "gprof");
  EXPECT_EQ(OptionsOf("").compilation_mode, "");
}

}  // namespace
}  // namespace gprofhub::cli
