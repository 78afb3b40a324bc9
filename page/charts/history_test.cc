#include "page/charts/history.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace gprofhub::page {
namespace {

using Mark = HistoryDot::Mark;

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(HistoryDotsTest, EachValueIsADotOnOneScale) {
  const std::string svg =
      HistoryDots("calls of f",
                  {{10, Mark::kNone}, {10, Mark::kBase}, {20, Mark::kHead, true, "run 3"}})
          .bytes();
  EXPECT_EQ(CountOf(svg, "<circle"), 3u);
  EXPECT_EQ(CountOf(svg, "class=\"level\""), 1u);
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

}  // namespace
}  // namespace gprofhub::page
