#include "cli/verify/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/testing/parser_runs.h"
#include "reporter/rendering/explain.h"
#include "reporter/rendering/json.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::cli {

namespace {

using reporter::ProfileBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Profiles = std::vector<profile::ComputedProfile>;

// main → parse → next, and main → next.
struct Program {
  uint64_t from_parse = 10;
  uint64_t from_main = 3;
  uint32_t code = 5;  // of parse
  std::string callee = "next";
  std::string toolchain = "gcc 12.2.0 -O2";
  bool inlined = false;  // next into parse

  Profiles Run() const {
    ProfileBuilder builder;
    builder.Function("main", 100, 900, "main.c");
    builder.Function("parse", 100, 800, "parse.c").Code(code);
    if (inlined) builder.Inlines(callee);
    builder.Arc("", "main", 1).Arc("main", "parse", 2);
    if (from_parse + from_main > 0) {
      builder.Function(callee, 800, 0, "next.c").Toolchain(toolchain);
      if (from_parse > 0) builder.Arc("parse", callee, from_parse);
      if (from_main > 0) builder.Arc("main", callee, from_main);
    }
    return {builder.Build()};
  }
};

// parse calls next 80 times at the head, and 10 times at the base.
v1::Explanation Regression(v1::Finding::Metric metric = v1::Finding::CALLS) {
  v1::Finding finding;
  finding.set_metric(metric);
  finding.set_function(metric == v1::Finding::CALLS ? "next" : "parse");
  if (metric == v1::Finding::CALLS) finding.set_caller("parse");
  finding.set_target("//a:test");
  finding.set_before(10);
  finding.set_after(80);
  finding.set_exact(true);
  finding.set_impact(0.4);
  v1::Report report;
  report.mutable_compared()->set_configuration("k8-opt-gprof");
  return reporter::Explain(report, finding,
                           {Program().Run(), Program{.from_parse = 80, .code = 6}.Run()});
}

Verification Of(const Program& program, const v1::Explanation& finding = Regression()) {
  return Verify(finding, program.Run());
}

TEST(Verify, ARevertIsFixedAndTheHeadIsNot) {
  EXPECT_EQ(Of({}).answer, Answer::kFixed);
  EXPECT_EQ(Of({.from_parse = 9}).answer, Answer::kFixed);
  EXPECT_EQ(Of({.from_parse = 80}).answer, Answer::kNotFixed);
  EXPECT_EQ(Of({.from_parse = 100}).answer, Answer::kNotFixed);
  const Verification half = Of({.from_parse = 45});
  EXPECT_EQ(half.answer, Answer::kPartly);
  EXPECT_DOUBLE_EQ(half.left, 0.5);
  EXPECT_THAT(half.now, ElementsAre(45));
}

TEST(Verify, ARestIsSmallIfItDoesNotMatter) {
  v1::Explanation finding = Regression();
  EXPECT_EQ(Of({.from_parse = 12}, finding).answer, Answer::kPartly);
  finding.mutable_finding()->set_impact(0.01);
  EXPECT_EQ(Of({.from_parse = 12}, finding).answer, Answer::kFixed);
  EXPECT_EQ(Of({.from_parse = 20}, finding).answer, Answer::kPartly);
}

TEST(Verify, CallsThatAnotherCallerMakesAreNotRepaired) {
  const Verification moved = Of({.from_main = 73});
  EXPECT_EQ(moved.answer, Answer::kNotFixed);
  EXPECT_THAT(moved.reason, HasSubstr("70 calls more"));
  EXPECT_EQ(Of({.from_main = 38}).answer, Answer::kPartly);
  EXPECT_EQ(Of({.from_main = 0}).answer, Answer::kFixed);
}

TEST(Verify, AnAbsentFunctionProvesNothing) {
  EXPECT_EQ(Of({.callee = "after"}).answer, Answer::kCannotCompare);
  EXPECT_EQ(Of({.from_parse = 0, .from_main = 0}).answer, Answer::kCannotCompare);
  const Verification inlined = Of({.from_parse = 2, .inlined = true});
  EXPECT_EQ(inlined.answer, Answer::kCannotCompare);
  EXPECT_THAT(inlined.reason, HasSubstr("inlined"));
  // Where inlining does not lower the count, it shows what it shows.
  EXPECT_EQ(Of({.from_parse = 80, .inlined = true}).answer, Answer::kNotFixed);
}

TEST(Verify, ANewCallThatIsGoneIsFixed) {
  v1::Explanation finding = Regression();
  finding.mutable_finding()->set_before(0);
  EXPECT_EQ(Of({.from_parse = 0}, finding).answer, Answer::kFixed);
  EXPECT_EQ(Of({.from_parse = 0, .from_main = 0}, finding).answer, Answer::kFixed);
  EXPECT_EQ(Of({.from_parse = 0, .inlined = true}, finding).answer, Answer::kCannotCompare);
}

TEST(Verify, AnotherCompilerCannotBeCompared) {
  const Verification other = Of({.toolchain = "clang 14.0.6 -O2"});
  EXPECT_EQ(other.answer, Answer::kCannotCompare);
  EXPECT_THAT(other.reason, HasSubstr("clang 14.0.6"));
}

TEST(Verify, CountsThatVaryAreTakenAtTheirMedian) {
  v1::Explanation finding = Regression();
  Profiles runs = Program{.from_parse = 14}.Run();
  runs.push_back(Program{.from_parse = 9}.Run().front());
  runs.push_back(Program{.from_parse = 15}.Run().front());
  EXPECT_EQ(Verify(finding, runs).answer, Answer::kFixed);
  EXPECT_THAT(VerificationText(finding, Verify(finding, runs)), HasSubstr("14, 9, 15 calls"));
}

TEST(Verify, OfATimeTheCodeDecides) {
  const v1::Explanation finding = Regression(v1::Finding::SELF_TIME);
  EXPECT_EQ(Of({}, finding).answer, Answer::kFixed);
  EXPECT_EQ(Of({.code = 6}, finding).answer, Answer::kNotFixed);
  EXPECT_EQ(Of({.code = 7}, finding).answer, Answer::kCannotCompare);
  EXPECT_EQ(Of({.code = 0}, finding).answer, Answer::kCannotCompare);
}

TEST(Verify, OfATimeInUnchangedCodeTheEditedFunctionDecides) {
  v1::Explanation finding = Regression(v1::Finding::SELF_TIME);
  finding.mutable_finding()->set_function("main");
  finding.mutable_finding()->add_edited("parse");
  finding.mutable_base()->set_code(1);
  finding.mutable_head()->set_code(1);
  EXPECT_EQ(Of({}, finding).answer, Answer::kCannotCompare);
  finding.mutable_base()->add_edited_code(5);
  finding.mutable_head()->add_edited_code(6);
  EXPECT_EQ(Of({}, finding).answer, Answer::kFixed);
  EXPECT_EQ(Of({.code = 6}, finding).answer, Answer::kNotFixed);
  EXPECT_EQ(Of({.code = 7}, finding).answer, Answer::kCannotCompare);
}

TEST(Verify, AFunctionThatTheBaseLacksIsFixedOnceItIsGone) {
  v1::Explanation finding = Regression(v1::Finding::SELF_TIME);
  finding.mutable_finding()->set_function("slow");
  finding.mutable_base()->set_code(0);
  finding.mutable_base()->set_calls(0);
  EXPECT_EQ(Of({}, finding).answer, Answer::kFixed);
  EXPECT_EQ(Of({.callee = "slow"}, finding).answer, Answer::kCannotCompare);
}

TEST(Verify, AnImprovementNeedsNoRepair) {
  v1::Explanation finding = Regression();
  finding.mutable_finding()->set_after(4);
  EXPECT_EQ(Of({}, finding).answer, Answer::kCannotCompare);
}

TEST(Verify, TextNamesAllThreeCounts) {
  EXPECT_EQ(VerificationText(Regression(), Of({})),
            "fixed: next called by parse: 10 calls; 10 at the base, 80 at the head\n");
  EXPECT_EQ(VerificationText(Regression(), Of({.from_parse = 45})),
            "partly: next called by parse: 45 calls; 10 at the base, 80 at the head; 50% of the "
            "change is left\n");
}

TEST(Verify, JsonHasTheAnswer) {
  const auto json = VerificationJson(Regression(), Of({.callee = "after"}));
  EXPECT_EQ(json["answer"], "cannot_compare");
  EXPECT_TRUE(json["left"].is_null());
  EXPECT_FALSE(json["reason"].is_null());
}

TEST(ReadFindingJson, ReadsWhatGetPrints) {
  const v1::Explanation finding = Regression();
  const auto read = ReadFindingJson(reporter::RenderJson(finding), "finding.json");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->configuration(), "k8-opt-gprof");
  EXPECT_EQ(read->base().calls(), 13);
  EXPECT_EQ(read->head().calls(), 83);
  EXPECT_EQ(Of({.from_main = 73}, *read).answer, Answer::kNotFixed);
  EXPECT_EQ(VerificationText(*read, Of({}, *read)), VerificationText(finding, Of({}, finding)));
  const auto time = ReadFindingJson(reporter::RenderJson(Regression(v1::Finding::SELF_TIME)), "f");
  ASSERT_TRUE(time.ok()) << time.status();
  EXPECT_EQ(Of({.code = 6}, *time).answer, Answer::kNotFixed);
}

TEST(ReadFindingJson, NamesTheFileThatIsNoFinding) {
  for (const char* text : {"", "{", "[]", "{\"finding\": {}}", "{\"findings\": []}"}) {
    const auto read = ReadFindingJson(text, "finding.json");
    ASSERT_TRUE(absl::IsInvalidArgument(read.status())) << text;
    EXPECT_THAT(std::string(read.status().message()), HasSubstr("finding.json")) << text;
  }
}

TEST(VerifyCommand, ComparesLocalProfilesWithAFile) {
  const std::filesystem::path folder = EmptyTestFolder();
  const std::string before = RunsFolder("before", kParserBefore, 1).string();
  const std::string after = RunsFolder("after", kParserAfter, 2).string();
  const auto run = [](const std::vector<std::string>& words) {
    return RunCommandLine({AddDiffCommand, AddGetCommand, AddVerifyCommand}, words);
  };
  const auto diff = nlohmann::json::parse(run({"diff", before, after, "--format=json"}).out);
  const CommandResult get = run({"get", diff["findings"][0]["id"], before, after});
  ASSERT_EQ(get.exit_code, kExitOk) << get.err;
  const std::string file = folder / "finding.json";
  std::ofstream(file) << get.out;
  const CommandResult fixed = run({"verify", file, before});
  EXPECT_EQ(fixed.exit_code, kVerifiedFixed) << fixed.err;
  EXPECT_EQ(fixed.out, "fixed: next called by parse: 10 calls; 10 at the base, 80 at the head\n");
  const CommandResult not_fixed = run({"verify", file, after, "--format=json"});
  EXPECT_EQ(not_fixed.exit_code, kVerifiedNotFixed);
  EXPECT_EQ(nlohmann::json::parse(not_fixed.out)["answer"], "not_fixed");
  EXPECT_EQ(run({"verify", file, "absent"}).exit_code, kExitUsage);
  EXPECT_EQ(run({"verify", before + "/absent"}).exit_code, kExitUnavailable);
}

}  // namespace

}  // namespace gprofhub::cli
