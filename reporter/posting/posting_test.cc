#include "reporter/posting/posting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "reporter/findings/function_rows.h"
#include "reporter/findings/text.h"
#include "reporter/rendering/cause_words.h"
#include "reporter/rendering/explain.h"
#include "reporter/rendering/json.h"
#include "reporter/rendering/markdown.h"

namespace gprofhub::reporter {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kCommit[] = "2222222222222222222222222222222222222222";
const absl::Time kNow = absl::FromUnixSeconds(1700000000);

v1::Report MakeReport(int findings) {
  v1::Report report;
  report.mutable_compared()->mutable_base()->set_commit("1111111111111111111111111111111111111111");
  report.mutable_compared()->mutable_head()->set_commit(kCommit);
  report.mutable_compared()->add_targets("//db:query_test");
  for (int i = 0; i < findings; ++i) {
    v1::Finding& finding = *report.add_findings();
    finding.set_verdict(v1::Finding::REGRESSED);
    finding.set_metric(v1::Finding::CALLS);
    finding.set_function(absl::StrCat("function_", i));
    finding.set_caller(absl::StrCat("caller_", i));
    finding.set_target("//db:query_test");
    finding.mutable_site()->set_file("src/json.c");
    finding.mutable_site()->set_line(100 + i);
    finding.set_before(100);
    finding.set_after(154);
    finding.set_exact(true);
    finding.set_effect_percent(54);
    finding.set_impact(0.1);
    finding.set_weight(0.2);
    finding.set_material(true);
  }
  SetTestEffects(report);
  return report;
}

PostingInput MakeInput(bool markdown = true, size_t limit = 65536) {
  PostingInput input;
  input.project = "acme/db";
  input.run_id = 17;
  input.commit = kCommit;
  input.traits = {markdown, markdown, limit};
  input.checks_url = "https://github.example/acme/db/pull/17/checks";
  return input;
}

Posting Compose(const v1::Report& report, const PostingInput& input,
                const std::vector<store::AcknowledgementRecord>& acknowledged = {}) {
  const Policy policy = DefaultPolicy();
  return ComposePosting(report, JudgeGate(report, policy, acknowledged, "17", kNow), policy, input);
}

TEST(ComposePostingTest, ARegressionFailsTheCheckAndIsAnnotated) {
  v1::Report report = MakeReport(2);
  MarkChangedLines({{"src/json.c", {{101, 101}}}}, report);
  const Posting posting = Compose(report, MakeInput());
  EXPECT_EQ(posting.about.state, PostingState::kRegressed);
  EXPECT_TRUE(absl::StartsWith(posting.body, absl::StrCat(posting.marker, "\n")));
  EXPECT_EQ(ReadStateLine(posting.body).state, PostingState::kRegressed);
  EXPECT_EQ(ReadStateLine(posting.body).run_id, 17);
  EXPECT_EQ(ReadStateLine(posting.body).commit, kCommit);
  EXPECT_EQ(posting.check.conclusion, Check::Conclusion::kFailure);
  EXPECT_EQ(posting.check.title, "2 changes fail the check");
  ASSERT_THAT(posting.check.annotations, SizeIs(2));
  EXPECT_EQ(posting.check.annotations[0].line, 101u) << "what the pull request changed comes first";
  EXPECT_EQ(posting.check.annotations[0].message,
            "caller_1 calls function_1 154×, was 100 (+54%), about +10% of the test's CPU, "
            "in //db:query_test");
  EXPECT_THAT(posting.body, HasSubstr("/gprofhub ack FUNCTION reason"));
  EXPECT_THAT(posting.body, HasSubstr("(https://github.example/acme/db/pull/17/checks)"));
}

// The finding's own share is 10%; the test became 40% slower.
TEST(ComposePostingTest, EveryTextHasTheSameEffect) {
  v1::Report report = MakeReport(1);
  v1::TargetTotal& total = *report.add_totals();
  total.set_target("//db:query_test");
  total.set_dimension("seconds");
  total.set_before(1);
  total.set_after(1.4);
  total.set_effect_percent(40);
  total.set_standard_error_percent(1);
  total.set_interval_low_percent(38);
  total.set_interval_high_percent(42);
  SetTestEffects(report);
  const Posting posting = Compose(report, MakeInput());
  const v1::Finding& finding = report.findings(0);
  ASSERT_THAT(posting.check.annotations, SizeIs(1));
  const std::string quality = RenderCodeQuality(JudgeGate(report, DefaultPolicy(), {}, "17", kNow));
  for (const std::string& text :
       {posting.body, posting.check.summary, posting.check.annotations[0].message, quality,
        RenderText(report, {}), RenderExplanationText(Explain(report, finding, {}), false)}) {
    EXPECT_THAT(text, HasSubstr("400 ms CPU (+40%)"));
    EXPECT_THAT(text, Not(HasSubstr("10%"))) << "the share";
  }
  EXPECT_THAT(RenderJson(report), HasSubstr("\"percent\": 40"));
  EXPECT_NEAR(CpuEffect(finding), 0.4, 0.01) << "of thresholds";
}

TEST(ComposePostingTest, ACauseIsOneLine) {
  v1::Report report = MakeReport(3);
  for (v1::Finding& finding : *report.mutable_findings()) finding.set_caller("loop");
  const Posting posting = Compose(report, MakeInput());
  EXPECT_EQ(posting.check.title, "1 change fails the check");
  EXPECT_THAT(posting.body, HasSubstr("\n1. 🔺 `loop` calls `function_0` more often: 154 calls"));
  EXPECT_THAT(posting.body,
              HasSubstr("2 other functions changed with it. **Fails the check**, rule "
                        "`more-work`."));
  EXPECT_THAT(posting.body, Not(HasSubstr("\n2. ")));
  EXPECT_THAT(posting.check.annotations, SizeIs(3)) << "each at its line";
}

TEST(ComposePostingTest, WhatIsAcknowledgedPassesAndIsSaid) {
  store::AcknowledgementRecord said;
  said.function = "function_0";
  said.author = "somebody";
  said.reason = "it is | worth `it` @all";
  const Posting posting = Compose(MakeReport(1), MakeInput(), {said});
  EXPECT_EQ(posting.about.state, PostingState::kChanged);
  EXPECT_EQ(posting.check.conclusion, Check::Conclusion::kSuccess);
  EXPECT_TRUE(posting.check.annotations.empty());
  EXPECT_THAT(posting.body,
              HasSubstr("`somebody` says it is accepted: `it is | worth <U+0060>it<U+0060> @all`"));
}

TEST(ComposePostingTest, WhatMoreRunsWouldDecideIsInTheTitleAndCanBeAskedFor) {
  v1::Report report = MakeReport(1);
  report.mutable_compared()->mutable_head()->set_run_id("17");
  report.add_reruns()->set_runs(1);
  report.add_reruns()->set_runs(3);
  Posting posting = Compose(report, MakeInput());
  EXPECT_EQ(posting.check.title,
            "1 change fails the check; 2 tests would be decided by up to 3 more runs: gprofhub "
            "rerun-list 17");
  EXPECT_LE(posting.check.title.size(), 140u) << "a commit status has room for no more";
  EXPECT_THAT(posting.body, HasSubstr("2 tests would be decided by up to 3 more runs: "
                                      "`gprofhub rerun-list 17`"));
  EXPECT_THAT(posting.body, HasSubstr("comment `/gprofhub rerun`"));
  PostingInput plain = MakeInput();
  plain.traits.markdown = false;
  EXPECT_THAT(Compose(report, plain).body, Not(HasSubstr("/gprofhub rerun")))
      << "the comments of such a forge are not edited: the check says it";
}

TEST(ComposePostingTest, ARerunThatWasAskedForIsSaidWithWhatStartsIt) {
  using Start = store::RerunRequestRecord::Start;
  v1::Report report = MakeReport(1);
  report.mutable_compared()->mutable_head()->set_run_id("17");
  report.add_reruns()->set_runs(1);
  PostingInput input = MakeInput();
  input.rerun.emplace();
  input.rerun->author = "@all `ada`";
  const auto body = [&](const Policy& policy) {
    return ComposePosting(report, JudgeGate(report, policy, {}, "17", kNow), policy, input).body;
  };
  Policy policy = DefaultPolicy();
  EXPECT_THAT(body(policy), HasSubstr("`@all <U+0060>ada<U+0060>` asked for a rerun: start the CI "
                                      "job again, and it runs no more than `gprofhub rerun-list "
                                      "17` says."));
  EXPECT_THAT(body(policy), Not(HasSubstr("comment `/gprofhub rerun`"))) << "it is asked for";
  policy.rerun_job = "profiles";
  EXPECT_THAT(body(policy), HasSubstr("the CI job is started again as soon as it has ended."));
  input.rerun->start = Start::kStarted;
  input.rerun->note = "https://ci.example/5";
  EXPECT_THAT(body(policy), HasSubstr("the CI job [was started again](https://ci.example/5)."));
  input.rerun->note = "javascript:alert(1)";
  EXPECT_THAT(body(policy), HasSubstr("the CI job was started again."));
  input.rerun->start = Start::kFailed;
  input.rerun->note = "no | [right](http://x)";
  EXPECT_THAT(body(policy), HasSubstr("could not be started: `no | [right](http://x)`. By hand: "
                                      "`gprofhub rerun-list 17`."));
  report.clear_reruns();
  EXPECT_THAT(body(policy), HasSubstr("asked for a rerun: more runs would decide no test."));
}

TEST(ComposePostingTest, ARerunThatWasAskedForIsSaidWhereNothingChanged) {
  PostingInput input = MakeInput();
  input.rerun.emplace();
  input.rerun->author = std::string(200, 'a');
  const Posting posting = Compose(MakeReport(0), input);
  EXPECT_EQ(posting.about.state, PostingState::kNoChange);
  EXPECT_THAT(posting.body, HasSubstr("asked for a rerun: more runs would decide no test."));
  EXPECT_THAT(posting.check.title, HasSubstr("; rerun asked for by aaa"));
  EXPECT_LE(posting.check.title.size(), 140u);
}

TEST(ComposePostingTest, NoChangeIsOneLine) {
  const Posting posting = Compose(MakeReport(0), MakeInput());
  EXPECT_EQ(posting.about.state, PostingState::kNoChange);
  EXPECT_EQ(posting.check.conclusion, Check::Conclusion::kSuccess);
  EXPECT_EQ(VisibleText(posting.body),
            "gprofhub: no significant change in `222222222222`, compared with `111111111111`.");
}

TEST(ComposePostingTest, WhatWasNotComparedIsNotTheSame) {
  v1::Report report = MakeReport(0);
  for (const char* target : {"//db:cached_test", "//db:other_test"}) {
    v1::NotCompared& left_out = *report.mutable_compared()->add_not_compared();
    left_out.set_target(target);
    left_out.set_reason("out of a @cache");
  }
  Posting posting = Compose(report, MakeInput());
  EXPECT_EQ(posting.about.state, PostingState::kNoChange);
  EXPECT_EQ(posting.check.conclusion, Check::Conclusion::kNeutral);
  EXPECT_EQ(posting.check.title, "no change fails the check, 2 of 3 tests were not compared");
  EXPECT_EQ(VisibleText(posting.body),
            "gprofhub: no significant change in `222222222222`, compared with `111111111111`; "
            "2 of 3 tests were not compared.\n\n"
            "Not compared: `//db:cached_test` and 1 more: `out of a @cache`");
  report.mutable_compared()->clear_targets();
  posting = Compose(report, MakeInput());
  EXPECT_THAT(VisibleText(posting.body),
              HasSubstr("gprofhub: none of the 2 tests could be compared in `222222222222`"));
}

TEST(ComposePostingTest, WithoutABaseTheCheckIsNeutral) {
  v1::Report report;
  report.mutable_compared()->set_baseline_reason("none: no run of the main branch");
  const Posting posting = Compose(report, MakeInput());
  EXPECT_EQ(posting.about.state, PostingState::kNoChange);
  EXPECT_EQ(posting.check.conclusion, Check::Conclusion::kNeutral);
}

TEST(ComposePostingTest, FitsTheForge) {
  for (const bool markdown : {true, false}) {
    for (const size_t limit : {65536, 16000, 6000}) {
      const Posting posting = Compose(MakeReport(3000), MakeInput(markdown, limit));
      EXPECT_LE(posting.body.size(), limit);
      EXPECT_LE(posting.check.summary.size(), 65535u);
      EXPECT_THAT(posting.body, HasSubstr("function_0"));
      EXPECT_THAT(posting.body, HasSubstr("gprofhub report 17")) << "where the rest is";
      EXPECT_THAT(posting.check.annotations, SizeIs(100));
    }
  }
}

TEST(ComposePostingTest, TheSameResultHasTheSameKey) {
  const Posting one = Compose(MakeReport(1), MakeInput());
  EXPECT_EQ(one.check.key, Compose(MakeReport(1), MakeInput()).check.key);
  EXPECT_NE(one.check.key, Compose(MakeReport(2), MakeInput()).check.key);
}

TEST(ComposePostingTest, NamesWhatFailsAndIsNotShown) {
  const Posting posting = Compose(MakeReport(9), MakeInput());
  EXPECT_THAT(posting.body, HasSubstr("**Check: 9 changes fail the check.** Fails, too: "
                                      "`function_3`, `function_4`, `function_5` and 3 more.\n"));
}

TEST(ComposePostingTest, AsksTheOwners) {
  PostingInput input = MakeInput();
  input.code_owners = ParseCodeOwners("/src/ @acme/json @all me@acme.example\n");
  v1::Report report = MakeReport(1);
  EXPECT_THAT(Compose(report, input).body,
              HasSubstr("Owners: @acme/json, `all`, `me@acme.example`."))
      << "the gate fails, and it is theirs";
  store::AcknowledgementRecord said;
  said.function = "function_0";
  EXPECT_THAT(Compose(report, input, {said}).body, HasSubstr("Owners: `acme/json`, "));
  report.mutable_findings(0)->set_impact(0.007);
  const Posting passes = Compose(report, input);
  EXPECT_EQ(passes.about.state, PostingState::kChanged);
  EXPECT_THAT(passes.body, HasSubstr("Owners: `acme/json`, "));
  EXPECT_THAT(passes.body, Not(HasSubstr("@acme/"))) << "nobody is called";
  report.mutable_findings(0)->mutable_site()->set_file("other/json.c");
  EXPECT_THAT(Compose(report, input).body, Not(HasSubstr("Owners")));
  input = MakeInput(false);
  input.code_owners = ParseCodeOwners("* @acme/json\n");
  EXPECT_THAT(Compose(MakeReport(1), input).body, HasSubstr("; owners: acme/json."));
}

TEST(ComposePostingTest, CallsTheOwnersOfWhatFailsAndIsNotShown) {
  PostingInput input = MakeInput();
  input.code_owners = ParseCodeOwners("/src/ @first\n/last/ @last\n");
  v1::Report report = MakeReport(9);
  report.mutable_findings(8)->mutable_site()->set_file("last/x.c");
  EXPECT_THAT(Compose(report, input).body, HasSubstr(" and 3 more; owners: @first, @last.\n"));
}

TEST(ComposePostingTest, TheFirstScreenHoldsAllOfIt) {
  PostingInput input = MakeInput();
  std::string owners = "*";
  for (int i = 0; i < 20; ++i) absl::StrAppend(&owners, " @", std::string(40, 'a' + i), "/x");
  input.code_owners = ParseCodeOwners(owners);
  for (const int findings : {1, 3, 20, 500}) {
    v1::Report report = MakeReport(findings);
    for (v1::Finding& finding : *report.mutable_findings()) {
      finding.set_function_display(absl::StrCat("std::map<", std::string(300, 'k'), ", Row>::find_",
                                                finding.function(), "()"));
      finding.mutable_site()->set_file(absl::StrCat("src/", std::string(200, 'f'), ".c"));
      report.mutable_compared()->add_targets(absl::StrCat("//", std::string(200, 't')));
      report.add_warnings(std::string(500, 'w'));
    }
    const std::string body = Compose(report, input).body;
    EXPECT_LE(ScreenLines(body.substr(0, body.find("\n<details>")), kScreenColumns), kScreenLines)
        << body;
    EXPECT_THAT(body, HasSubstr("`gprofhub report 17 --all`"));
  }
}

TEST(ComposePostingTest, APageTakesThePlaceOfWhatIsFolded) {
  PostingInput input = MakeInput();
  EXPECT_THAT(Compose(MakeReport(9), input).body, HasSubstr("<details>"));
  input.page_url = "https://gprofhub.example/acme/runs/17";
  const std::string body = Compose(MakeReport(9), input).body;
  EXPECT_THAT(body, Not(HasSubstr("<details>")));
  EXPECT_THAT(body, HasSubstr("[the report](https://gprofhub.example/acme/runs/17)"));
  input.page_url = "javascript:alert(1)";
  EXPECT_THAT(Compose(MakeReport(9), input).body, Not(HasSubstr("javascript")));
}

TEST(ComposePostingTest, PicturesOfTheCausesThatAreShownAreFolded) {
  PostingInput input = MakeInput();
  input.page_url = "https://gprofhub.example/acme/runs/17";
  input.picture_url = [](const v1::Finding& finding) {
    return absl::StrCat("https://gprofhub.example/picture/trend.svg?function=", finding.function());
  };
  const std::string body = Compose(MakeReport(9), input).body;
  const size_t folded = body.find("<details><summary>From run to run</summary>");
  ASSERT_NE(folded, std::string::npos) << body;
  EXPECT_THAT(body.substr(folded),
              HasSubstr("![The trend of cause 1](https://gprofhub.example/picture/trend.svg?"
                        "function=function_0)\n"));
  // One for each cause above.
  size_t pictures = 0;
  for (size_t at = body.find("!["); at != std::string::npos; at = body.find("![", at + 1)) {
    ++pictures;
  }
  EXPECT_GE(pictures, 1u);
  EXPECT_LE(pictures, 3u);
  EXPECT_LE(ScreenLines(body.substr(0, folded), kScreenColumns), kScreenLines);
}

TEST(ComposePostingTest, WithoutAnAddressThereIsNoPicture) {
  PostingInput input = MakeInput();
  EXPECT_THAT(Compose(MakeReport(2), input).body, Not(HasSubstr("![")));
  // Bad names: they make the address too long or invalid.
  for (const std::string& bad :
       {std::string(), "https://gprofhub.example/" + std::string(1000, 'x'),
        std::string("javascript:alert(1)"), std::string("https://a.example/) <script>")}) {
    input.picture_url = [bad](const v1::Finding&) { return bad; };
    EXPECT_THAT(Compose(MakeReport(2), input).body, Not(HasSubstr("!["))) << bad;
  }
  PostingInput plain = MakeInput(false, 16000);
  plain.picture_url = [](const v1::Finding&) { return "https://gprofhub.example/p.svg"; };
  EXPECT_THAT(Compose(MakeReport(2), plain).body, Not(HasSubstr("p.svg")))
      << "Gerrit has no images";
}

TEST(ComposePostingTest, ALinkThatIsNoPlainUrlIsLeftOut) {
  PostingInput input = MakeInput();
  input.checks_url = "https://evil.example/) <script>";
  EXPECT_THAT(Compose(MakeReport(1), input).body, Not(HasSubstr("evil")));
}

TEST(ComposePostingTest, PlainTextHasNoMarkup) {
  const Posting posting = Compose(MakeReport(2), MakeInput(false, 16000));
  const std::string text = VisibleText(posting.body);
  EXPECT_THAT(text, Not(HasSubstr("**")));
  EXPECT_THAT(text, Not(HasSubstr("`")));
  EXPECT_THAT(text, Not(HasSubstr("<details>")));
}

TEST(IsRepositoryPathTest, IsRelativePrintableAndStaysInside) {
  EXPECT_TRUE(IsRepositoryPath("src/json.c"));
  for (const char* path :
       {"", "/usr/include/x.h", "../x.c", "a/../b", "a//b", "./a", "a\nb", "a\u202Eb"}) {
    EXPECT_FALSE(IsRepositoryPath(path)) << path;
  }
}

TEST(ReadStateLineTest, WhatIsNoneIsUnknown) {
  for (const char* body :
       {"", "x", "x\n<!-- gprofhub-state: regressed 5 -->", "x\n<!-- gprofhub-state: odd 5 c -->",
        "x\n<!-- gprofhub-state: regressed five c -->"}) {
    EXPECT_EQ(ReadStateLine(body).state, PostingState::kUnknown) << body;
  }
}

TEST(RenderCodeQualityTest, HasGitLabsFieldsAndStableFingerprints) {
  v1::Report report = MakeReport(2);
  report.mutable_findings(1)->mutable_site()->set_file("/usr/include/c++/vector");
  const GateResult gate = JudgeGate(report, DefaultPolicy(), {}, "17", kNow);
  const auto list = nlohmann::json::parse(RenderCodeQuality(gate));
  ASSERT_EQ(list.size(), 1u) << "only what is in the repository";
  EXPECT_EQ(list[0]["location"]["path"], "src/json.c");
  EXPECT_EQ(list[0]["location"]["lines"]["begin"], 100);
  EXPECT_EQ(list[0]["severity"], "major");
  EXPECT_EQ(list[0]["check_name"], "gprofhub/more-work");
  EXPECT_THAT(list[0]["description"].get<std::string>(), HasSubstr("calls function_0 154"));
  // Another line or count does not change the issue's identity.
  report.mutable_findings(0)->mutable_site()->set_line(7);
  report.mutable_findings(0)->set_after(200);
  const auto moved =
      nlohmann::json::parse(RenderCodeQuality(JudgeGate(report, DefaultPolicy(), {}, "17", kNow)));
  EXPECT_EQ(moved[0]["fingerprint"], list[0]["fingerprint"]);
}

using ::testing::HasSubstr;
using ::testing::SizeIs;

v1::Finding Finding() {
  v1::Finding finding;
  finding.set_verdict(v1::Finding::REGRESSED);
  finding.set_metric(v1::Finding::CALLS);
  finding.set_function("jsonAppendChar");
  finding.set_function_display("jsonAppendChar");
  finding.set_caller("jsonPrintf");
  finding.set_caller_display("jsonPrintf");
  finding.set_target("//db:query_test");
  finding.mutable_site()->set_file("src/json.c");
  finding.mutable_site()->set_line(42);
  finding.set_before(155620);
  finding.set_after(239477);
  finding.set_effect_percent(54);
  finding.set_impact(0.1);
  finding.set_exact(true);
  return finding;
}

// The entries of one gated finding: one, or none if it is left out.
nlohmann::json EntriesOf(const v1::Finding& finding, const std::string& rule = "calls") {
  GateResult gate;
  gate.gated.push_back({&finding, rule, std::nullopt});
  return nlohmann::json::parse(RenderCodeQuality(gate));
}

std::string FingerprintOf(const v1::Finding& finding, const std::string& rule = "calls") {
  return EntriesOf(finding, rule).at(0).at("fingerprint");
}

TEST(RenderCodeQuality, HasAllThatGitLabAsksFor) {
  const v1::Finding finding = Finding();
  const nlohmann::json entries = EntriesOf(finding);
  ASSERT_THAT(entries, SizeIs(1));
  const nlohmann::json& entry = entries[0];
  EXPECT_EQ(entry.at("type"), "issue");
  EXPECT_EQ(entry.at("check_name"), "gprofhub/calls");
  EXPECT_EQ(entry.at("description"), DescribeFinding(finding));
  EXPECT_THAT(entry.at("description").get<std::string>(), HasSubstr("jsonAppendChar"));
  EXPECT_EQ(entry.at("severity"), "major");
  EXPECT_EQ(entry.at("location").at("path"), "src/json.c");
  EXPECT_EQ(entry.at("location").at("lines").at("begin"), 42);
  EXPECT_FALSE(entry.at("fingerprint").get<std::string>().empty());
}

TEST(RenderCodeQuality, WithoutAGatedFindingTheListIsEmpty) {
  EXPECT_EQ(RenderCodeQuality({}), "[]\n");
}

TEST(RenderCodeQuality, EntriesStandInTheReportsOrder) {
  std::vector<v1::Finding> findings(3, Finding());
  GateResult gate;
  for (size_t i = 0; i < findings.size(); ++i) {
    findings[i].mutable_site()->set_line(static_cast<uint32_t>(30 - i));
    gate.gated.push_back({&findings[i], "calls", std::nullopt});
  }
  const nlohmann::json entries = nlohmann::json::parse(RenderCodeQuality(gate));
  ASSERT_THAT(entries, SizeIs(3));
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(entries[i]["location"]["lines"]["begin"], 30 - i);
}

TEST(RenderCodeQuality, AnAcknowledgedFindingIsLeftOut) {
  const v1::Finding finding = Finding();
  GateResult gate;
  gate.gated.push_back({&finding, "calls", store::AcknowledgementRecord()});
  EXPECT_EQ(RenderCodeQuality(gate), "[]\n");
}

TEST(RenderCodeQuality, AFindingWhoseSiteIsNotInTheRepositoryIsLeftOut) {
  for (const char* file : {"", "/usr/include/c++/12/vector", "../other/a.c", "a\nb.c", "./a.c"}) {
    v1::Finding finding = Finding();
    finding.mutable_site()->set_file(file);
    EXPECT_THAT(EntriesOf(finding), SizeIs(0)) << file;
  }
  v1::Finding unknown_line = Finding();
  unknown_line.mutable_site()->set_line(0);
  EXPECT_THAT(EntriesOf(unknown_line), SizeIs(0));
  v1::Finding nowhere = Finding();
  nowhere.clear_site();
  EXPECT_THAT(EntriesOf(nowhere), SizeIs(0));
}

TEST(RenderCodeQuality, AFingerprintStaysWhileTheFindingIsTheSame) {
  v1::Finding later = Finding();
  later.mutable_site()->set_line(50);
  later.set_after(300000);
  later.set_effect_percent(93);
  later.set_impact(0.2);
  EXPECT_EQ(FingerprintOf(later), FingerprintOf(Finding()));
}

TEST(RenderCodeQuality, FindingsOfAnotherRuleTargetFunctionCallerOrMetricHaveAnother) {
  std::vector<v1::Finding> findings(5, Finding());
  findings[1].set_target("//db:other_test");
  findings[2].set_function("jsonGrow");
  findings[3].set_caller("main");
  findings[4].set_metric(v1::Finding::SELF_TIME);
  std::set<std::string> fingerprints;
  for (const v1::Finding& finding : findings) fingerprints.insert(FingerprintOf(finding));
  fingerprints.insert(FingerprintOf(findings[0], "times"));
  EXPECT_THAT(fingerprints, SizeIs(6));
}

TEST(RenderCodeQuality, AnyNameMakesValidJsonOfAscii) {
  v1::Finding finding = Finding();
  finding.set_function_display("f\"\\\n</script>\u202E\u00e9");
  GateResult gate;
  gate.gated.push_back({&finding, "a\"b", std::nullopt});
  const std::string text = RenderCodeQuality(gate);
  for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
  const nlohmann::json entries = nlohmann::json::parse(text);
  EXPECT_EQ(entries.at(0).at("check_name"), "gprofhub/a\"b");
}

TEST(OwnerList, NameWithoutMentioning) {
  EXPECT_EQ(OwnerList({}, OwnerStyle::kMarkdown), "");
  EXPECT_EQ(OwnerList({"@acme/parsers", "ada@acme.example"}, OwnerStyle::kMarkdown),
            "`acme/parsers`, `ada@acme.example`");
  EXPECT_EQ(OwnerList({"@acme/parsers"}, OwnerStyle::kText), "acme/parsers");
  EXPECT_EQ(OwnerList({"@a", "@b", "@c", "@d", "@e"}, OwnerStyle::kMarkdown),
            "`a`, `b`, `c` and 2 more");
}

TEST(OwnerList, MentionWhoCanBeMentioned) {
  EXPECT_EQ(OwnerList({"@acme/parsers", "@ada", "ada@acme.example"}, OwnerStyle::kMention),
            "@acme/parsers, @ada, `ada@acme.example`");
}

TEST(OwnerList, CallNobodyElseAndAreNoMarkup) {
  for (const char* hostile :
       {"@all", "@ALL", "@everyone", "@here", "@a @b", "@a\n@b", "@a`", "@a](https://evil)", "@a/",
        "@/a", "@", "@@maintainers", "@-a", "@_a_", "<b>@a", "@a\x1b[2J", "a@b"}) {
    EXPECT_FALSE(CanBeMentioned(hostile)) << hostile;
    const std::string words = OwnerList({hostile}, OwnerStyle::kMention);
    EXPECT_EQ(words.rfind("`", 0), 0u) << words;
    EXPECT_EQ(words.find('`', 1), words.size() - 1) << words;
    EXPECT_EQ(words.find('\x1b'), std::string::npos);
    EXPECT_EQ(OwnerList({hostile}, OwnerStyle::kText).find('\n'), std::string::npos);
  }
  EXPECT_FALSE(CanBeMentioned("@" + std::string(100, 'a')));
}

PostingPart Part(const std::string& name, Check::Conclusion conclusion, PostingState state,
                 int64_t run_id) {
  PostingPart part;
  part.name = name;
  part.posting.marker = "<!-- gprofhub:acme/db -->";
  part.posting.about = {state, run_id, "c0ffee"};
  part.posting.body = absl::StrCat(part.posting.marker, "\n", ToString(part.posting.about),
                                   "\ntext of ", name, "\n");
  part.posting.check.conclusion = conclusion;
  part.posting.check.title = absl::StrCat("title of ", name);
  part.posting.check.annotations = {{"a.cc", 1, name, ""}};
  return part;
}

TEST(JoinPostings, FailsIfAnyPartFailsAndShowsItFirst) {
  const Posting joined =
      JoinPostings({Part("k8-dbg", Check::Conclusion::kSuccess, PostingState::kNoChange, 9),
                    Part("k8-`x`", Check::Conclusion::kFailure, PostingState::kRegressed, 7),
                    Part("new", Check::Conclusion::kNeutral, PostingState::kNoChange, 8)},
                   {true, true, 65000});
  EXPECT_EQ(joined.check.conclusion, Check::Conclusion::kFailure);
  EXPECT_EQ(joined.check.title, "k8-`x`: title of k8-`x`");
  EXPECT_EQ(joined.check.annotations[0].title, "k8-`x`");
  EXPECT_EQ(ReadStateLine(joined.body).state, PostingState::kRegressed);
  EXPECT_EQ(ReadStateLine(joined.body).run_id, 9);
  EXPECT_EQ(VisibleText(joined.body),
            "**gprofhub: 1 of 3 parts fails: `k8-<U+0060>x<U+0060>`**\n\n"
            "### `k8-<U+0060>x<U+0060>`\n\ntext of k8-`x`\n\n"
            "### `new`\n\ntext of new\n\n"
            "### `k8-dbg`\n\ntext of k8-dbg");
}

TEST(JoinPostings, IsWithinTheForgesLimit) {
  std::vector<PostingPart> parts;
  for (int i = 0; i < 500; ++i) {
    parts.push_back(
        Part(std::string(300, 'x'), Check::Conclusion::kSuccess, PostingState::kChanged, i));
  }
  const Posting joined = JoinPostings(parts, {true, true, 4000});
  EXPECT_LE(joined.body.size(), 4000u);
  EXPECT_LE(joined.body.size() + kMissingBytes, 4000u) << "refused parts are named below";
  EXPECT_EQ(ReadStateLine(joined.body).run_id, 499);
}

TEST(JoinPostings, WithoutAChangeIsOneLineOfPlainText) {
  const Posting joined =
      JoinPostings({Part("a", Check::Conclusion::kSuccess, PostingState::kNoChange, 1),
                    Part("b", Check::Conclusion::kSuccess, PostingState::kNoChange, 2)},
                   {false, false, 4000});
  EXPECT_EQ(VisibleText(joined.body), "gprofhub: no significant change in c0ffee: a, b.");
}

}  // namespace

}  // namespace gprofhub::reporter
