#include "reporter/rendering/trend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/status.h"

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
  EXPECT_NE(table.find("  <- calls, own time (unconfirmed)\n"), std::string::npos) << table;
}

TEST(RenderTrend, QuantitiesHaveTheirUnits) {
  v1::GetTrendResponse trend = Hostile();
  trend.set_function("gprofhub_allocated_bytes");
  trend.set_function_display("gprofhub_allocated_bytes");
  EXPECT_NE(RenderTrendTable(trend).find("gprofhub_allocated_bytes\n  bytes     ▁█\n"),
            std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(RenderTrendJson(trend))["unit"], "bytes");
  trend.set_function("gprofhub_waiting_microseconds");
  const std::string table = RenderTrendTable(trend);
  EXPECT_NE(table.find("\n  time      ▁█\n"), std::string::npos) << table;
  EXPECT_NE(table.find("1.5 ms      +50%"), std::string::npos) << table;
  EXPECT_NE(table.find("  <- time, own time (unconfirmed)\n"), std::string::npos) << table;
}

TEST(RenderTrend, CsvCellsAreQuotedAndNoFormulas) {
  EXPECT_EQ(
      RenderTrendCsv(Hostile()),
      "time,commit,branch,run_id,calls,self_seconds,self_error_seconds,total_seconds,"
      "total_error_seconds\n"
      "1970-01-01T00:00:00+00:00,abc,\"'=HYPERLINK(\"\"x\"\"),<U+000A>\",1,1000,0.25,0,0,0\n"
      "2023-11-14T22:13:20+00:00,abc,\"'=HYPERLINK(\"\"x\"\"),<U+000A>\",1,1500,0.25,0,0,0\n");
}

TEST(RenderTrend, JsonHasEveryPoint) {
  const auto json = nlohmann::json::parse(RenderTrendJson(Hostile()));
  EXPECT_EQ(json["points"].size(), 2u);
  EXPECT_EQ(json["points"][1]["calls"], 1500);
  EXPECT_EQ(json["function_display"], "f\x1b[31m()");
  EXPECT_TRUE(json["points"][0]["calls_change"].is_null());
  EXPECT_EQ(json["points"][1]["calls_change"], "unconfirmed");
  EXPECT_EQ(json["points"][1]["self_change"], "confirmed");
}

using ::testing::HasSubstr;

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
  EXPECT_THAT(table, HasSubstr("f<U+001B>[31m()\n  calls     ▁█\n  own time  ▄▄\n\nweek (UTC)"));
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

TEST(RenderPeriods, JsonHasAllOfIt) {
  const auto json = nlohmann::json::parse(RenderPeriodsJson(TwoWeeks()));
  EXPECT_EQ(json["by"], "week");
  EXPECT_EQ(json["unit"], "calls");
  ASSERT_EQ(json["periods"].size(), 2u);
  EXPECT_EQ(json["periods"][0]["begins"], "2023-11-13");
  EXPECT_EQ(json["periods"][0]["last_run_id"], "120");
  EXPECT_EQ(json["periods"][1]["calls"]["median"], 1500);
  EXPECT_EQ(json["periods"][0]["self_seconds"]["most"], 0.061);
  EXPECT_TRUE(json["periods"][0]["calls_change"].is_null());
  EXPECT_EQ(json["periods"][1]["calls_change"], "unconfirmed");
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

}  // namespace

}  // namespace gprofhub::reporter
