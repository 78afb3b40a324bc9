#include "reporter/gate/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace gprofhub::reporter {

namespace {

TEST(ParseAckCommandsTest, TakesANameAndAReason) {
  const auto commands = ParseAckCommands(
      "Thanks!\r\n/gprofhub ack jsonAppendChar the cache is worth it\r\n"
      "  /gprofhub not-a-regression `ns::f(int, char)`   the test grew  \n");
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(commands[0].function, "jsonAppendChar");
  EXPECT_EQ(commands[0].reason, "the cache is worth it");
  EXPECT_FALSE(commands[0].not_a_regression);
  EXPECT_EQ(commands[1].function, "ns::f(int, char)");
  EXPECT_EQ(commands[1].reason, "the test grew");
  EXPECT_TRUE(commands[1].not_a_regression);
}

TEST(ParseAckCommandsTest, PassesOverWhatIsNone) {
  for (const std::string& body :
       {std::string(), std::string("/gprofhub"), std::string("/gprofhub ack"),
        std::string("/gprofhub ack f"), std::string("/gprofhub ack `f reason"),
        std::string("/gprofhub ack `` reason"), std::string("> /gprofhub ack f reason"),
        std::string("see /gprofhub ack f reason"), std::string("/gprofhubs ack f reason"),
        std::string("/gprofhub nack f reason"),
        absl::StrCat("/gprofhub ack f ", std::string(2000, 'x')),
        absl::StrCat("/gprofhub ack ", std::string(2000, 'x'), " reason")}) {
    EXPECT_TRUE(ParseAckCommands(body).empty()) << body.substr(0, 100);
  }
}

TEST(ParseAckCommandsTest, ShownCommandsAreNotGiven) {
  const std::string ack = "/gprofhub ack f reason\n", rerun = "/gprofhub rerun\n";
  for (const std::string& command : {ack, rerun}) {
    const auto counts = [](const std::string& body) {
      return !ParseAckCommands(body).empty() || AsksForRerun(body);
    };
    for (const std::string& body :
         {"Write\n```\n" + command + "```\n", "```text\r\n" + command + "```\r\n",
          "   ~~~\n" + command, "````\n```\n" + command, "~~~\n```\n" + command + "~~~\n",
          "```\n``` x\n" + command, "<!--\n" + command + "-->\n", "text <!-- hidden\n\n" + command,
          "For example:\n\n    " + command, "\t" + command, "> " + command, ">" + command,
          "<!-- a --> b <!-- c\n" + command}) {
      EXPECT_FALSE(counts(body)) << body;
    }
    for (const std::string& body :
         {"```\nx\n```\n" + command, "~~~\nx\n~~~~  \n" + command, "``\n" + command,
          "<!-- a -->\n" + command, "<!--\na\n-->\n" + command, "> quoted\n" + command,
          "   " + command, "a ``` b\n" + command}) {
      EXPECT_TRUE(counts(body)) << body;
    }
  }
}

TEST(AsksForRerunTest, TakesALineOfItsOwn) {
  for (const char* body :
       {"/gprofhub rerun", "Odd.\r\n  /gprofhub \t rerun  \r\nThanks!", "/gprofhub rerun please"}) {
    EXPECT_TRUE(AsksForRerun(body)) << body;
  }
  for (const char* body : {"", "/gprofhub", "/gprofhub reruns", "> /gprofhub rerun",
                           "see /gprofhub rerun", "/gprofhub ack rerun because", "rerun"}) {
    EXPECT_FALSE(AsksForRerun(body)) << body;
  }
}

using ::testing::SizeIs;
using Conclusion = GateResult::Conclusion;

const absl::Time kNow = absl::FromUnixSeconds(1700000000);

v1::Finding MakeFinding(const std::string& function, double impact,
                        v1::Finding::Verdict verdict = v1::Finding::REGRESSED) {
  v1::Finding finding;
  finding.set_verdict(verdict);
  finding.set_metric(v1::Finding::CALLS);
  finding.set_function(function);
  finding.set_function_display(function + "(int)");
  finding.set_target("//db:query_test");
  finding.set_before(100);
  finding.set_after(154);
  finding.set_effect_percent(54);
  finding.set_impact(impact);
  return finding;
}

v1::Report MakeReport(const std::vector<v1::Finding>& findings) {
  v1::Report report;
  report.mutable_compared()->mutable_base()->set_commit("1111");
  for (const v1::Finding& finding : findings) *report.add_findings() = finding;
  return report;
}

store::AcknowledgementRecord Said(const std::string& function) {
  store::AcknowledgementRecord record;
  record.function = function;
  record.author = "somebody";
  record.reason = "because";
  return record;
}

GateResult Judge(const v1::Report& report, const Policy& policy = DefaultPolicy(),
                 const std::vector<store::AcknowledgementRecord>& said = {}) {
  return JudgeGate(report, policy, said, "17", kNow);
}

TEST(CoversTest, AFunctionMayBeNamedAsACommentShowsIt) {
  store::AcknowledgementRecord said;
  said.function = "leveldb::crc32c::Extend(...)";
  const char* const display = "leveldb::crc32c::Extend(unsigned int, char const*, unsigned long)";
  EXPECT_TRUE(Covers(said, "_ZN7leveldb6crc32c6ExtendEjPKcm", display, "//db:test"));
  EXPECT_FALSE(Covers(said, "f", "leveldb::crc32c::Value(char const*)", "//db:test"));
}

TEST(JudgeGateTest, ARegressionOfOnePercentFailsByDefault) {
  EXPECT_EQ(Judge(MakeReport({MakeFinding("f", 0.01)})).conclusion, Conclusion::kFail);
  EXPECT_EQ(Judge(MakeReport({MakeFinding("f", 0.0099)})).conclusion, Conclusion::kPass);
  for (const auto verdict :
       {v1::Finding::IMPROVED, v1::Finding::NEW, v1::Finding::VANISHED, v1::Finding::SHIFTED,
        v1::Finding::EQUIVALENT, v1::Finding::CANNOT_TELL}) {
    EXPECT_EQ(Judge(MakeReport({MakeFinding("f", 0.5, verdict)})).conclusion, Conclusion::kPass);
  }
  v1::Finding total = MakeFinding("f", 0.5);
  total.set_metric(v1::Finding::TOTAL_TIME);
  EXPECT_EQ(Judge(MakeReport({total})).conclusion, Conclusion::kPass);
}

TEST(JudgeGateTest, WithoutABaseThereIsNothingToCompare) {
  v1::Report report = MakeReport({});
  report.mutable_compared()->clear_base();
  EXPECT_EQ(Judge(report).conclusion, Conclusion::kNothingToCompare);
  EXPECT_EQ(GateHeadline(Judge(report)), "no baseline: nothing to compare with yet");
}

TEST(JudgeGateTest, WhatFollowsFromAnotherFindingIsNotGated) {
  v1::Finding cause = MakeFinding("cause", 0.1);
  cause.add_follows("follower");
  v1::Finding elsewhere = MakeFinding("follower", 0.1);
  elsewhere.set_target("//db:other_test");
  const v1::Report report = MakeReport({cause, MakeFinding("follower", 0.1), elsewhere});
  const GateResult gate = Judge(report);
  ASSERT_THAT(gate.gated, SizeIs(2));
  EXPECT_EQ(gate.gated[0].finding->function(), "cause");
  EXPECT_EQ(gate.gated[1].finding->target(), "//db:other_test");
}

TEST(JudgeGateTest, AnArcThatChangedIsGatedEvenBelowAnotherCause) {
  v1::Finding cause = MakeFinding("cause", 0.1);
  cause.add_follows("callee");
  v1::Finding arc = MakeFinding("callee", 0.1);
  arc.set_caller("middle");
  EXPECT_THAT(Judge(MakeReport({cause, arc})).gated, SizeIs(2));
}

TEST(JudgeGateTest, WhatIsExplainedOrTheTestsOwnIsNotGated) {
  v1::Finding explained = MakeFinding("f", 0.5);
  explained.set_metric(v1::Finding::SELF_TIME);
  explained.set_explained(true);
  v1::Finding in_test = MakeFinding("f", 0.5);
  in_test.set_in_test(true);
  EXPECT_EQ(Judge(MakeReport({explained, in_test})).conclusion, Conclusion::kPass);
  EXPECT_FALSE(HasMaterialChange(MakeReport({explained, in_test}), DefaultPolicy()));
}

TEST(JudgeGateTest, TheFirstRuleThatAFindingBelongsToDecides) {
  Policy policy = DefaultPolicy();
  GateRule lenient = policy.gates[0];
  lenient.name = "lenient";
  lenient.functions = {"json*"};
  lenient.min_cpu_percent = 20;
  GateRule never = policy.gates[0];
  never.name = "never";
  never.targets = {"//bench/*"};
  never.fails = false;
  policy.gates.insert(policy.gates.begin(), {lenient, never});
  v1::Finding bench = MakeFinding("f", 0.9);
  bench.set_target("//bench/x:y");
  EXPECT_EQ(Judge(MakeReport({MakeFinding("jsonA", 0.1), bench}), policy).conclusion,
            Conclusion::kPass);
  const v1::Report report = MakeReport({MakeFinding("jsonA", 0.2), MakeFinding("f", 0.1)});
  const GateResult gate = Judge(report, policy);
  ASSERT_THAT(gate.gated, SizeIs(2));
  EXPECT_EQ(gate.gated[0].rule, "lenient");
  EXPECT_EQ(gate.gated[1].rule, "more-work");
}

TEST(JudgeGateTest, AnEffectBelowTheThresholdPasses) {
  Policy policy = DefaultPolicy();
  policy.gates[0].min_effect_percent = 60;
  EXPECT_EQ(Judge(MakeReport({MakeFinding("f", 0.5)}), policy).conclusion, Conclusion::kPass);
  v1::Finding from_nothing = MakeFinding("f", 0.5);
  from_nothing.set_before(0);
  from_nothing.set_effect_percent(0);
  EXPECT_EQ(Judge(MakeReport({from_nothing}), policy).conclusion, Conclusion::kFail);
}

TEST(JudgeGateTest, AnAcknowledgementOfTheFunctionPasses) {
  const v1::Report report = MakeReport({MakeFinding("f", 0.5)});
  for (const char* name : {"f", "f(int)", "f*"}) {
    const GateResult gate = Judge(report, DefaultPolicy(), {Said(name)});
    EXPECT_EQ(gate.conclusion, Conclusion::kPass) << name;
    ASSERT_THAT(gate.gated, SizeIs(1));
    EXPECT_EQ(gate.gated[0].acknowledged->author, "somebody");
  }
  EXPECT_EQ(Judge(report, DefaultPolicy(), {Said("g")}).conclusion, Conclusion::kFail);
}

TEST(JudgeGateTest, AcknowledgementsAreForAPullRequestATargetAndATime) {
  const v1::Report report = MakeReport({MakeFinding("f", 0.5)});
  store::AcknowledgementRecord other_request = Said("f"), expired = Said("f"),
                               other_target = Said("f");
  other_request.pull_request = "18";
  expired.expires = kNow;
  other_target.target = "//db:other*";
  for (const store::AcknowledgementRecord& record : {other_request, expired, other_target}) {
    EXPECT_EQ(Judge(report, DefaultPolicy(), {record}).conclusion, Conclusion::kFail);
  }
  other_request.pull_request = "17";
  expired.expires = kNow + absl::Seconds(1);
  other_target.target = "//db:*";
  for (const store::AcknowledgementRecord& record : {other_request, expired, other_target}) {
    EXPECT_EQ(Judge(report, DefaultPolicy(), {record}).conclusion, Conclusion::kPass);
  }
}

TEST(JudgeGateTest, TheHeadlineCountsFunctions) {
  const v1::Report report =
      MakeReport({MakeFinding("f", 0.5), MakeFinding("f", 0.5), MakeFinding("g", 0.5)});
  EXPECT_EQ(GateHeadline(Judge(report)), "2 changes fail the check");
  EXPECT_EQ(GateHeadline(Judge(report, DefaultPolicy(), {Said("f")})),
            "1 change fails the check, 1 acknowledged");
  EXPECT_EQ(GateHeadline(Judge(report, DefaultPolicy(), {Said("*")})),
            "no change fails the check, 2 acknowledged");
}

// Calls of `function` in a loop.
v1::Finding InLoop(const std::string& function) {
  v1::Finding arc = MakeFinding(function, 0.1);
  arc.set_caller("loop");
  return arc;
}

TEST(GatedCausesTest, AreOneForWhatOneCallerBroughtAbout) {
  v1::Finding first = InLoop("f");
  first.add_follows("below");
  first.add_follows("g");
  v1::Finding elsewhere = first;
  elsewhere.set_target("//db:other_test");
  const v1::Report report = MakeReport(
      {first, MakeFinding("f", 0.1), InLoop("g"), MakeFinding("h", 0.1), elsewhere, InLoop("i")});
  const GateResult gate = Judge(report);
  EXPECT_EQ(GateHeadline(gate), "2 changes fail the check");
  const std::vector<GatedCause> causes = GatedCauses(gate);
  ASSERT_THAT(causes, SizeIs(2));
  EXPECT_EQ(causes[0].shown->finding, &report.findings(0));
  EXPECT_EQ(causes[0].with_it, 3u) << "below, g and i";
  EXPECT_EQ(WithItWords(causes[0]), ", and 3 that follow from it, also in 1 other test");
  EXPECT_EQ(causes[1].shown->finding->function(), "h");
  EXPECT_EQ(WithItWords(causes[1]), "");
}

TEST(GatedCausesTest, WhatIsSaidInThePullRequestCoversTheCause) {
  const v1::Report report = MakeReport({InLoop("f"), InLoop("g")});
  store::AcknowledgementRecord said = Said("g");
  EXPECT_EQ(Judge(report, DefaultPolicy(), {said}).conclusion, Conclusion::kFail);
  EXPECT_EQ(GatedCauses(Judge(report, DefaultPolicy(), {said}))[0].shown->finding->function(), "f")
      << "what fails is shown";
  said.pull_request = "17";
  const GateResult gate = Judge(report, DefaultPolicy(), {said});
  EXPECT_EQ(gate.conclusion, Conclusion::kPass);
  EXPECT_EQ(GateHeadline(gate), "no change fails the check, 1 acknowledged");
  v1::Finding elsewhere = InLoop("f");
  elsewhere.set_target("//db:other_test");
  EXPECT_EQ(Judge(MakeReport({elsewhere, InLoop("g")}), DefaultPolicy(), {said}).conclusion,
            Conclusion::kFail)
      << "another test's";
}

TEST(HasMaterialChangeTest, IsWhatAllocatesOrWaits) {
  v1::Finding finding = MakeFinding("fsync", 0);
  EXPECT_FALSE(HasMaterialChange(MakeReport({finding}), DefaultPolicy()));
  finding.set_share_of_waits(0.2);
  EXPECT_TRUE(HasMaterialChange(MakeReport({finding}), DefaultPolicy()));
}

TEST(HasMaterialChangeTest, IsAboutWhatBeganWhereItIsFound) {
  const Policy policy = DefaultPolicy();
  EXPECT_TRUE(HasMaterialChange(MakeReport({MakeFinding("f", 0.005)}), policy));
  EXPECT_TRUE(
      HasMaterialChange(MakeReport({MakeFinding("f", 0.5, v1::Finding::IMPROVED)}), policy));
  EXPECT_FALSE(HasMaterialChange(MakeReport({MakeFinding("f", 0.004)}), policy));
  EXPECT_FALSE(
      HasMaterialChange(MakeReport({MakeFinding("f", 0.5, v1::Finding::SHIFTED)}), policy));
  v1::Finding cause = MakeFinding("cause", 0.001);
  cause.add_follows("f");
  EXPECT_FALSE(HasMaterialChange(MakeReport({cause, MakeFinding("f", 0.5)}), policy));
}

// Calls of f from `caller`, in a test's code or in a library's.
v1::Finding MakeArc(const std::string& caller, double impact, bool in_test) {
  v1::Finding arc = MakeFinding("f", impact);
  arc.set_caller(caller);
  arc.set_in_test(in_test);
  return arc;
}

TEST(JudgeGateTest, AFunctionCountsWithoutWhatATestCallsMore) {
  const v1::Report little = MakeReport(
      {MakeFinding("f", 0.3), MakeArc("Case1", 0.295, true), MakeArc("parse", 0.005, false)});
  EXPECT_EQ(Judge(little).conclusion, Conclusion::kPass);
  EXPECT_TRUE(HasMaterialChange(little, DefaultPolicy())) << "0.5% is worth a comment";
  const v1::Report much = MakeReport(
      {MakeFinding("f", 0.3), MakeArc("Case1", 0.1, true), MakeArc("parse", 0.2, false)});
  EXPECT_THAT(Judge(much).gated, SizeIs(2));
}

// Calls in a test without samples.
v1::Finding MakeUnsampled(const std::string& function, double share_of_calls) {
  v1::Finding finding = MakeFinding(function, 0);
  finding.set_share_of_calls(share_of_calls);
  return finding;
}

TEST(JudgeGateTest, WithoutSamplesCallsFailOnlyIfThePolicySaysSo) {
  const v1::Report report = MakeReport({MakeUnsampled("f", 0.17)});
  const GateResult open = Judge(report);
  EXPECT_EQ(open.conclusion, Conclusion::kPass);
  EXPECT_EQ(open.unsampled, 1u);
  EXPECT_EQ(GateHeadline(open),
            "no change fails the check, 1 cannot be judged: no CPU was sampled");
  EXPECT_TRUE(HasMaterialChange(report, DefaultPolicy())) << "people are told";
  Policy policy = DefaultPolicy();
  policy.gates[0].min_calls_percent = 17;
  EXPECT_EQ(Judge(report, policy).conclusion, Conclusion::kFail);
  EXPECT_EQ(Judge(report, policy).unsampled, 0u);
  policy.gates[0].min_calls_percent = 18;
  EXPECT_EQ(Judge(report, policy).conclusion, Conclusion::kPass);
  policy.gates[0].min_calls_percent.reset();
  policy.gates[0].min_cpu_percent = 0;
  EXPECT_EQ(Judge(report, policy).conclusion, Conclusion::kFail) << "whatever it stands for";
}

TEST(JudgeGate, AnUnconfirmedChangeIsNamedAndFailsNothing) {
  v1::Finding finding = MakeFinding("f", 0.5);
  finding.set_verdict(v1::Finding::CANNOT_TELL);
  finding.set_unconfirmed(true);
  finding.set_material(true);
  const GateResult gate = Judge(MakeReport({finding}));
  EXPECT_EQ(gate.conclusion, Conclusion::kPass);
  EXPECT_EQ(GateHeadline(gate), "no change fails the check, 1 unconfirmed");
  finding.set_in_test(true);
  EXPECT_EQ(Judge(MakeReport({finding})).unconfirmed, 0u);
}

TEST(JudgeGate, WhatWasNotComparedDoesNotPass) {
  v1::Report report = MakeReport({});
  report.mutable_compared()->add_targets("//a:compared");
  v1::NotCompared& unknown = *report.mutable_compared()->add_not_compared();
  unknown.set_target("//a:unknown");
  unknown.set_reason("out of a cache");
  const GateResult gate = Judge(report);
  EXPECT_EQ(gate.conclusion, Conclusion::kIncomplete);
  ASSERT_EQ(gate.not_compared.size(), 1u);
  EXPECT_EQ(gate.not_compared[0].target(), "//a:unknown");
  EXPECT_EQ(GateHeadline(gate), "no change fails the check, 1 of 2 tests was not compared");
  v1::Report failing = MakeReport({MakeFinding("f", 0.5)});
  *failing.mutable_compared()->add_not_compared() = unknown;
  EXPECT_EQ(Judge(failing).conclusion, Conclusion::kFail);
}

store::GatedRecord Gated(const std::string& rule, const std::string& pull_request,
                         const std::string& function) {
  return {"acme/db", pull_request, rule, "//db:query_test", function, function + "()", 1};
}

store::AcknowledgementRecord Said(const std::string& function, const std::string& pull_request,
                                  bool not_a_regression) {
  store::AcknowledgementRecord record;
  record.function = function;
  record.pull_request = pull_request;
  record.not_a_regression = not_a_regression;
  return record;
}

TEST(MeasureRulesTest, CountsFalseAlarmsOfAllGated) {
  const auto stats = MeasureRules(
      {Gated("slower", "1", "f"), Gated("slower", "2", "f"), Gated("slower", "2", "g"),
       Gated("slower", "3", "h"), Gated("more-work", "1", "f"), Gated("slower", "2", "g")},
      {Said("f()", "2", true), Said("f", "2", false), Said("g*", "", false), Said("h", "9", true)});
  ASSERT_EQ(stats.size(), 2u);
  EXPECT_EQ(stats[0].rule, "more-work");
  EXPECT_EQ(stats[0].gated, 1u);
  EXPECT_EQ(stats[0].false_alarm_rate(), 0);
  EXPECT_EQ(stats[1].rule, "slower");
  EXPECT_EQ(stats[1].gated, 4u) << "the same finding once";
  EXPECT_EQ(stats[1].not_a_regression, 1u);
  EXPECT_EQ(stats[1].acknowledged, 1u);
  EXPECT_DOUBLE_EQ(stats[1].false_alarm_rate(), 0.25);
}

TEST(MeasureRulesTest, NothingGatedIsNoRate) {
  EXPECT_TRUE(MeasureRules({}, {Said("f", "", true)}).empty());
}

}  // namespace

}  // namespace gprofhub::reporter
