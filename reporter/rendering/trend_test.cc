#include "reporter/rendering/trend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "reporter/testing/memory_history.h"

namespace gprofhub::reporter {

namespace {

TEST(Sparkline, SpansTheValues) {
  EXPECT_EQ(Sparkline({0, 7}), "▁█");
  EXPECT_EQ(Sparkline({5, 5, 5}), "▄▄▄");
  EXPECT_EQ(Sparkline({}), "");
}

v1::GetTrendResponse Hostile() {
  v1::GetTrendResponse trend;
  trend.set_function("f");
  trend.set_function_display("f\x1b[31m()");
  trend.set_dimension("seconds");
  v1::TrendPoint& first = *trend.add_points();
  first.set_run_id("1");
  first.set_commit("abc");
  first.set_branch("=HYPERLINK(\"x\"),\n");
  first.set_calls(1000);
  first.set_self_seconds(0.25);
  v1::TrendPoint& second = *trend.add_points();
  second = first;
  second.set_calls(1500);
  second.set_unix_ms(1700000000000);
  second.set_calls_change(v1::CHANGED_UNCONFIRMED);
  second.set_self_change(v1::CHANGED);
  return trend;
}

TEST(RenderTrend, TableShowsTheChangeFromRunToRun) {
  const std::string table = RenderTrendTable(Hostile());
  EXPECT_NE(table.find("f<U+001B>[31m()\n  calls     ▁█\n"), std::string::npos) << table;
  EXPECT_NE(table.find("1,500      +50%"), std::string::npos) << table;
  EXPECT_NE(table.find("2023-11-14 22:13"), std::string::npos) << table;
}

TEST(RenderTrend, TableMarksChanges) {
  const std::string table = RenderTrendTable(Hostile());
  EXPECT_NE(table.find("  <- calls, self time (unconfirmed)\n"), std::string::npos) << table;
}

TEST(RenderTrend, QuantitiesHaveTheirUnits) {
  v1::GetTrendResponse trend = Hostile();
  trend.set_function("gprofhub_allocated_bytes");
  trend.set_function_display("gprofhub_allocated_bytes");
  EXPECT_NE(RenderTrendTable(trend).find("gprofhub_allocated_bytes\n  bytes     ▁█\n"),
            std::string::npos);
  trend.set_function("gprofhub_waiting_microseconds");
  const std::string table = RenderTrendTable(trend);
  EXPECT_NE(table.find("\n  time      ▁█\n"), std::string::npos) << table;
  EXPECT_NE(table.find("1.5 ms      +50%"), std::string::npos) << table;
  EXPECT_NE(table.find("  <- time, self time (unconfirmed)\n"), std::string::npos) << table;
}

TEST(RenderTrend, CsvCellsAreQuotedAndNoFormulas) {
  EXPECT_EQ(
      RenderTrendCsv(Hostile()),
      "time,commit,branch,run_id,calls,self_seconds,self_error_seconds,total_seconds,"
      "total_error_seconds\n"
      "1970-01-01T00:00:00+00:00,abc,\"'=HYPERLINK(\"\"x\"\"),<U+000A>\",1,1000,0.25,0,0,0\n"
      "2023-11-14T22:13:20+00:00,abc,\"'=HYPERLINK(\"\"x\"\"),<U+000A>\",1,1500,0.25,0,0,0\n");
}

using ::testing::HasSubstr;
using ::testing::Not;

v1::GetTrendResponse TwoWeeks() {
  v1::GetTrendResponse trend;
  trend.set_function("f");
  trend.set_function_display("f\x1b[31m()");
  trend.set_dimension("seconds");
  trend.set_by(v1::BY_WEEK);
  v1::TrendPeriod& first = *trend.add_periods();
  first.set_unix_ms(1699833600000);  // Monday, 13 November 2023
  first.set_runs(35);
  first.set_last_run_id("120");
  first.mutable_calls()->set_least(1000);
  first.mutable_calls()->set_median(1000);
  first.mutable_calls()->set_most(1500);
  first.mutable_self_seconds()->set_least(0.05);
  first.mutable_self_seconds()->set_median(0.052);
  first.mutable_self_seconds()->set_most(0.061);
  first.mutable_total_seconds()->set_median(0.2);
  v1::TrendPeriod& second = *trend.add_periods();
  second = first;
  second.set_unix_ms(1700438400000);
  second.mutable_calls()->set_median(1500);
  second.set_last_run_id("=1+1");
  second.set_calls_change(v1::CHANGED_UNCONFIRMED);
  return trend;
}

TEST(RenderPeriods, TheTableHasALineForEachPeriod) {
  const std::string table = RenderPeriodsTable(TwoWeeks());
  EXPECT_THAT(table, HasSubstr("f<U+001B>[31m()\n  calls     ▁█\n  self time ▄▄\n\nweek (UTC)"));
  EXPECT_THAT(table, HasSubstr("\n2023-11-13      35            1,000            1,000            "
                               "1,500                 50 ms       52 ms       61 ms      200 ms"));
  EXPECT_THAT(table, HasSubstr("1,500      +50%")) << table;
  EXPECT_THAT(table, HasSubstr("=1+1  <- calls (unconfirmed)\n")) << table;
}

TEST(RenderPeriods, CsvHasNumbersOnly) {
  const std::string csv = RenderPeriodsCsv(TwoWeeks());
  EXPECT_THAT(csv, HasSubstr("\n2023-11-13,35,120,1000,1000,1500,0.05,0.052,0.061,0,0.2,0\n"));
  EXPECT_THAT(csv, HasSubstr("\n2023-11-20,35,0,1000,1500,1500,"));
}

TEST(RenderPeriods, QuantitiesHaveTheirUnits) {
  v1::GetTrendResponse trend = TwoWeeks();
  trend.set_function("gprofhub_waiting_microseconds");
  EXPECT_THAT(RenderPeriodsTable(trend), HasSubstr("time least"));
  EXPECT_THAT(RenderPeriodsTable(trend), HasSubstr("1.5 ms      +50%"));
}

TEST(RenderPeriods, NamesOfRowsAreReadAndWritten) {
  for (const v1::TrendBy by : {v1::BY_RUN, v1::BY_DAY, v1::BY_WEEK}) {
    EXPECT_EQ(*TrendByOf(NameOfTrendBy(by)), by);
  }
  EXPECT_EQ(*TrendByOf(""), v1::BY_RUN);
  EXPECT_TRUE(absl::IsInvalidArgument(TrendByOf("year\x1b").status()));
}

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

TEST(RenderChangesText, NamesTheSubjectOfTheCommit) {
  v1::GetChangesResponse changes = OneEvent(Calls("f", "main"));
  changes.mutable_events(0)->mutable_at()->set_subject("Parse \x1b[2Jonce");
  EXPECT_THAT(RenderChangesText(changes),
              HasSubstr("\n      introduced in bbbbbbbbbbbb: Parse <U+001B>[2Jonce\n"));
  changes.mutable_events(0)->mutable_culprit()->set_commit("cccccccccccccccc");
  changes.mutable_events(0)->mutable_culprit()->set_subject("Parse twice");
  EXPECT_THAT(RenderChangesText(changes), HasSubstr("introduced in cccccccccccc: Parse twice ("));
  EXPECT_THAT(RenderChangesText(changes), Not(HasSubstr("once")));
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

}  // namespace

}  // namespace gprofhub::reporter
