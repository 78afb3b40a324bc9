#include "reporter/rendering/events.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>

#include "reporter/testing/made_findings.h"

namespace gprofhub::reporter {
namespace {

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
