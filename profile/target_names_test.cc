#include "profile/target_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gprofhub::profile {

namespace {

TEST(Cases, AreTargetsOfTheirTest) {
  EXPECT_EQ(TargetOf("//db:bench", "BM_Insert/8"), "//db:bench#BM_Insert/8");
  EXPECT_EQ(TargetOf("//db:test", ""), "//db:test");
  for (const std::string label : {"//a:c#_test", "//a:##", "//a:t#"}) {
    for (const std::string part : {"", "BM_Insert/8", "a##b", "a#b"}) {
      EXPECT_EQ(TestOf(TargetOf(label, part)), label) << part;
      EXPECT_EQ(PartOf(TargetOf(label, part)), part) << label;
    }
  }
  EXPECT_EQ(TestOf(TargetOf("//db:bench", "#1")), "//db:bench");
  EXPECT_EQ(TestOf("//db:bench#BM_Insert/8#2"), "//db:bench");
  EXPECT_EQ(PartOf("//db:bench#BM_Insert/8#2"), "BM_Insert/8#2");
  EXPECT_EQ(TestOf("//db:test"), "//db:test");
  EXPECT_EQ(PartOf("//db:test"), "");
}

}  // namespace

}  // namespace gprofhub::profile
