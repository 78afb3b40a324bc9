#include "page/charts/page_strip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "absl/strings/match.h"

namespace gprofhub::page {
namespace {

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

}  // namespace
}  // namespace gprofhub::page
