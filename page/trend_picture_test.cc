#include "page/trend_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reporter/testing/sample_reports.h"

namespace gprofhub::page {

namespace {

using Mark = HistoryDot::Mark;

size_t Occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(HistoryDotsTest, EachValueIsADotOnOneScale) {
  const std::string svg =
      HistoryDots("calls of f",
                  {{10, Mark::kNone}, {10, Mark::kBase}, {20, Mark::kHead, true, "run 3"}})
          .bytes();
  EXPECT_EQ(Occurrences(svg, "<circle"), 3u);
  EXPECT_EQ(Occurrences(svg, "class=\"level\""), 1u);
  EXPECT_NE(svg.find("cx=\"6.00\" cy=\"42.00\""), std::string::npos) << svg;   // minimum
  EXPECT_NE(svg.find("cx=\"294.00\" cy=\"6.00\""), std::string::npos) << svg;  // maximum
  EXPECT_NE(svg.find("<title>run 3</title>"), std::string::npos);
  EXPECT_NE(svg.find("aria-label=\"calls of f\""), std::string::npos);
}

TEST(HistoryDotsTest, OneLevelIsInTheMiddle) {
  EXPECT_NE(HistoryDots("x", {{5}}).bytes().find("cx=\"150.00\" cy=\"24.00\""), std::string::npos);
}

TEST(HistoryDotsTest, WhatIsNoNumberIsLeftOut) {
  EXPECT_TRUE(HistoryDots("x", {}).empty());
  EXPECT_TRUE(HistoryDots("x", {{NAN}, {INFINITY}}).empty());
}

TEST(PageStripTest, PagesThatRanAreFilledInTheirPlace) {
  std::vector<bool> pages(66, false);
  pages[1] = pages[65] = true;
  const std::string bytes = PageStrip("two of 66", pages).bytes();
  EXPECT_TRUE(absl::StrContains(bytes, "viewBox=\"0 0 640 20\"")) << bytes;
  EXPECT_TRUE(absl::StrContains(bytes, "class=\"ran\" d=\"M10 0h9v9h-9zM10 10h9v9h-9z\"")) << bytes;
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 'M'), 66);
  EXPECT_TRUE(absl::StrContains(bytes, "<title>two of 66</title>")) << bytes;
}

TEST(PageStripTest, MorePagesThanCanBeSeenAreLeftOut) {
  const std::string bytes = PageStrip("many", std::vector<bool>(100'000, true)).bytes();
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 'M'), 8192);
}

std::string CommitOf(int number) { return absl::StrFormat("%040x", 0xC0FFEE + number * 7919); }

// Calls and seconds of 60 runs; a level begins at the 40th, and the last run is of a pull request.
v1::GetTrendResponse Trend() {
  v1::GetTrendResponse trend;
  trend.set_dimension("seconds");
  for (int i = 0; i < 60; ++i) {
    v1::TrendPoint& point = *trend.add_points();
    point.set_run_id(absl::StrCat(i + 1));
    point.set_commit(CommitOf(i));
    point.set_calls(i < 40 ? 155'620 : 161'900);
    point.set_self_seconds(0.2 + 0.01 * (i % 7));
    if (i == 40) point.set_calls_change(v1::CHANGED);
  }
  trend.mutable_points(59)->set_calls(239'477);
  return trend;
}

TrendPictureText Text() {
  return {"db::JsonWriter::Append(char)", "//db:query_test", CommitOf(58), CommitOf(59)};
}

// Compares with the golden file. On a mismatch the new picture is saved to the test's outputs.
void ExpectGolden(const std::string& name, const std::string& svg) {
  std::ifstream file(absl::StrCat("page/testdata/", name));
  std::ostringstream text;
  text << file.rdbuf();
  const std::string golden = text.str();
  EXPECT_EQ(svg, golden) << name;
  if (svg == golden) return;
  if (const char* const outputs = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR")) {
    std::ofstream(absl::StrCat(outputs, "/", name)) << svg;
  }
}

TEST(TrendPictureTest, CallsAreDrawnWithBaseHeadAndLevels) {
  ExpectGolden("calls.svg", TrendPictureSvg(Text(), Trend(), TrendValue::kCalls));
}

TEST(TrendPictureTest, TimesHaveTheirUnit) {
  ExpectGolden("self_time.svg", TrendPictureSvg(Text(), Trend(), TrendValue::kSelfTime));
}

TEST(TrendPictureTest, OneRunIsADotAndNoneIsSaid) {
  v1::GetTrendResponse trend;
  ExpectGolden("no_runs.svg", TrendPictureSvg(Text(), trend, TrendValue::kCalls));
  *trend.add_points() = Trend().points(59);
  ExpectGolden("one_run.svg", TrendPictureSvg(Text(), trend, TrendValue::kCalls));
}

TEST(TrendPictureTest, ValuesThatAreNoNumbersAreLeftOut) {
  v1::GetTrendResponse trend = Trend();
  for (v1::TrendPoint& point : *trend.mutable_points()) point.set_calls(NAN);
  const std::string svg = TrendPictureSvg(Text(), trend, TrendValue::kCalls);
  EXPECT_FALSE(absl::StrContains(svg, "nan")) << svg;
  EXPECT_TRUE(absl::StrContains(svg, "no values yet"));
}

TEST(TrendPictureTest, NamesOfAttackersAreText) {
  v1::GetTrendResponse trend = Trend();
  std::string all;
  for (const std::string& name : reporter::HostileNames()) {
    trend.mutable_points(59)->set_commit(name);
    trend.mutable_points(59)->set_run_id(name);
    trend.set_dimension(name);
    const std::string svg = TrendPictureSvg({name, name, name, name}, trend, TrendValue::kSelfTime);
    for (const char* const bad : {"<script", "<img", "<a ", "onload=\"", "javascript:\"", "]]>",
                                  "<!", "\x1b", "\xE2\x80\xAE"}) {
      EXPECT_FALSE(absl::StrContains(svg, bad)) << bad << " in " << svg;
    }
    EXPECT_LT(svg.size(), 40'000u) << "a long name is cut";
    all += svg;
  }
  // No links, no external resources.
  EXPECT_FALSE(absl::StrContains(all, "href=\""));
  EXPECT_FALSE(absl::StrContains(all, "src=\""));
}

}  // namespace

}  // namespace gprofhub::page
