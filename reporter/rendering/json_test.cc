#include "reporter/rendering/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reporter/testing/memory_history.h"
#include "reporter/testing/sample_reports.h"

namespace gprofhub::reporter {

namespace {

TEST(RenderJson, NamesWhatWasNotComparedAndSaysWhy) {
  v1::Report report = JsonReport();
  EXPECT_EQ(nlohmann::json::parse(RenderJson(report))["compared"]["not_compared"],
            nlohmann::json::array());
  v1::NotCompared& left_out = *report.mutable_compared()->add_not_compared();
  left_out.set_target("//a:one");
  left_out.set_reason("out of a cache");
  const auto json = nlohmann::json::parse(RenderJson(report));
  EXPECT_EQ(json["compared"]["not_compared"][0]["target"], "//a:one");
  EXPECT_EQ(json["compared"]["not_compared"][0]["reason"], "out of a cache");
}

TEST(RenderJson, HasTheDocumentedFields) {
  const auto json = nlohmann::json::parse(RenderJson(JsonReport()));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["compared"]["baseline_reason"], "merge base");
  EXPECT_EQ(json["compared"]["base"]["run_id"], "7");
  const auto& finding = json["findings"][0];
  EXPECT_EQ(finding["verdict"], "regressed");
  EXPECT_EQ(finding["metric"], "calls");
  EXPECT_EQ(finding["unit"], "calls");
  EXPECT_EQ(finding["function"], "jsonAppendChar");
  EXPECT_EQ(finding["caller"], "jsonPrintf");
  EXPECT_EQ(finding["site"]["file"], "sqlite3.c");
  EXPECT_EQ(finding["site"]["line"], 206140);
  EXPECT_EQ(finding["before"], 155620);
  EXPECT_EQ(finding["after"], 239477);
  EXPECT_EQ(finding["exact"], false);
  EXPECT_EQ(finding["one_run"], true);
  EXPECT_NEAR(finding["effect_percent"], 53.886, 0.001);
  EXPECT_TRUE(finding["interval"].is_null());
  EXPECT_EQ(finding["follows"], nlohmann::json::array({"jsonGrow"}));
  for (const auto& entry : json["findings"]) {
    EXPECT_EQ(entry["interval"].is_null(), entry["metric"] == "calls");
    EXPECT_EQ(entry.size(), finding.size()) << "every finding has every field";
  }
}

TEST(RenderJson, IsAsciiWhateverTheNames) {
  for (const unsigned char c : RenderJson(HostileReport())) {
    EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F)) << static_cast<int>(c);
  }
}

TEST(RenderJson, GivesAShareOfCallsOnlyWhereNothingWasSampled) {
  const auto json = nlohmann::json::parse(RenderJson(UnsampledReport()));
  const auto& finding = json["findings"][0];
  EXPECT_TRUE(finding["impact"].is_null());
  EXPECT_TRUE(finding["weight"].is_null());
  EXPECT_NEAR(finding["share_of_calls"].get<double>(), 60. / 101, 1e-9);
  for (const auto& sampled : nlohmann::json::parse(RenderJson(JsonReport()))["findings"]) {
    EXPECT_TRUE(sampled["impact"].is_number());
    EXPECT_TRUE(sampled["share_of_calls"].is_null());
  }
}

TEST(RenderJson, NamesTheFirstFindingOfTheSameCause) {
  std::vector<v1::Finding> findings;
  for (const char* name : {"f", "g", "h"}) {
    findings.push_back(MakeFinding(name, v1::Finding::CALLS, "caller"));
    findings.back().set_verdict(v1::Finding::REGRESSED);
    findings.back().mutable_site()->set_file("a.cc");
    findings.back().set_after(10 + 7 * static_cast<double>(findings.size() * findings.size()));
  }
  findings[0].mutable_site()->set_line(10);
  findings[1].mutable_site()->set_line(500);
  findings[2].mutable_site()->set_line(12);
  const auto json = nlohmann::json::parse(RenderJson(MakeReport(findings)))["findings"];
  EXPECT_TRUE(json[0]["cause"].is_null());
  EXPECT_TRUE(json[1]["cause"].is_null()) << "far from the other calls";
  EXPECT_EQ(json[2]["cause"], json[0]["id"]);
}

TEST(RenderJson, SaysHowManyTargetsShowATimeTogether) {
  v1::Finding time = MakeFinding("f", v1::Finding::SELF_TIME);
  time.set_pooled_targets(3);
  const auto json = nlohmann::json::parse(
      RenderJson(MakeReport({time, MakeFinding("g", v1::Finding::SELF_TIME)})));
  EXPECT_EQ(json["findings"][0]["pooled_targets"], 3);
  EXPECT_TRUE(json["findings"][1]["pooled_targets"].is_null());
}

TEST(RenderJson, SaysWhetherATotalTimeIsMeasured) {
  for (const bool measured : {false, true}) {
    const auto json = nlohmann::json::parse(RenderJson(TotalsReport(measured)));
    for (const auto& finding : json["findings"]) {
      if (finding["metric"] == "total_time") {
        EXPECT_EQ(finding["measured"], measured);
      } else {
        EXPECT_TRUE(finding["measured"].is_null());
      }
    }
  }
}

using ::testing::HasSubstr;
using ::testing::Not;

v1::GetChangesResponse OneEvent(const v1::Finding& cause) {
  v1::GetChangesResponse changes;
  changes.set_runs(9);
  changes.set_branch("main");
  v1::ChangeEvent& event = *changes.add_events();
  event.mutable_last_before()->set_commit("aaaaaaaaaaaaaaaa");
  event.mutable_at()->set_commit("bbbbbbbbbbbbbbbb");
  event.mutable_at()->set_run_id("7");
  event.mutable_at()->set_unix_ms(1700000000000);
  *event.mutable_first_after() = event.at();
  event.set_commits(3);
  event.set_confirmed(true);
  *event.mutable_cause() = cause;
  event.set_following_functions(2);
  return changes;
}

TEST(RenderChangesText, SaysWhenWhereAndWhat) {
  const std::string text = RenderChangesText(OneEvent(Calls("f", "main")));
  EXPECT_EQ(text,
            "1 change in 9 runs of main\n"
            "\n"
            "2023-11-14 22:13 bbbbbbbbbbbb, run 7  (after aaaaaaaaaaaa: one of 3 commits)\n"
            "  + f\n"
            "      main calls it 150×, was 100\n"
            "      +50% calls (exact), about 10% of the test's CPU\n"
            "      2 other functions changed here\n"
            "      in //a:test\n");
}

TEST(RenderChangesText, SaysWhatIsNotConfirmedYet) {
  v1::GetChangesResponse changes = OneEvent(Calls("f", "main"));
  changes.mutable_events(0)->set_confirmed(false);
  changes.mutable_events(0)->mutable_first_after()->set_commit("cccccccccccccccc");
  EXPECT_THAT(RenderChangesText(changes),
              HasSubstr(", at the latest with cccccccccccc: one of 3 commits)  not confirmed yet"));
}

TEST(RenderChangesText, CountsOlderChangesThatAreLeftOut) {
  v1::GetChangesResponse changes = OneEvent(Calls("f", "main"));
  changes.set_older_events(7);
  EXPECT_THAT(RenderChangesText(changes), HasSubstr("8 changes in 9 runs of main, newest first\n"));
  EXPECT_THAT(RenderChangesText(changes),
              HasSubstr("\n7 older changes: --limit 8 lists everything\n"));
  EXPECT_THAT(RenderChangesJson(changes), HasSubstr("\"older_events\": 7"));
}

TEST(RenderChangesText, NothingOfAHostileNameReachesTheTerminal) {
  v1::GetChangesResponse changes = OneEvent(Calls("f\x1b[2J\n", "\u202Emain"));
  changes.add_warnings("\x07");
  const std::string text = RenderChangesText(changes);
  EXPECT_THAT(text, HasSubstr("f<U+001B>[2J<U+000A>"));
  EXPECT_THAT(text, HasSubstr("<U+202E>main calls it"));
  EXPECT_THAT(text, Not(HasSubstr("\x07")));
}

TEST(RenderChangesText, SaysThatThereIsNone) {
  v1::GetChangesResponse changes;
  changes.set_runs(1);
  EXPECT_EQ(RenderChangesText(changes), "no change in 1 run\n");
}

TEST(RenderChangesJson, GivesNullForWhatIsNotKnown) {
  v1::Finding cause = Calls("f");
  cause.set_share_of_calls(0.5);
  v1::GetChangesResponse changes = OneEvent(cause);
  changes.mutable_events(0)->set_commits(0);
  const auto json = nlohmann::json::parse(RenderChangesJson(changes));
  EXPECT_EQ(json["schema"], 1);
  const auto& event = json["events"][0];
  EXPECT_EQ(event["commit"], "bbbbbbbbbbbbbbbb");
  EXPECT_EQ(event["share_of_calls"], 0.5);
  for (const char* field : {"commits", "caller", "caller_display", "interval", "impact"}) {
    EXPECT_TRUE(event[field].is_null()) << field;
  }
}

}  // namespace

}  // namespace gprofhub::reporter
