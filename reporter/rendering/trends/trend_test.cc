#include "reporter/rendering/trends/trend.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

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

}  // namespace
}  // namespace gprofhub::reporter
