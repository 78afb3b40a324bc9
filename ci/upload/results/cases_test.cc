#include "ci/upload/results/cases.h"

#include <gtest/gtest.h>

namespace gprofhub::ci {
namespace {

TEST(Cases, AreNamedByTheFolderOfTheirProfiles) {
  EXPECT_EQ(CaseOf("gprofhub.cases/BM_Insert%2F8/bench.12.gprofhub"), "BM_Insert/8");
  EXPECT_EQ(CaseOf("gprofhub.cases/BM_T<int>/sub/bench.12.gprofhub"), "BM_T<int>");
  EXPECT_EQ(CaseOf("gprofhub.cases/100%25/bench.12.gprofhub"), "100%");
  for (const char* other :
       {"bench.12.gprofhub", "sub/bench.12.gprofhub", "gprofhub.cases",
        "gprofhub.cases/bench.12.gprofhub", "a/gprofhub.cases/x/b.1.gprofhub"}) {
    EXPECT_EQ(CaseOf(other), "") << other;
  }
}

TEST(Cases, AreTargetsOfTheirTest) {
  EXPECT_EQ(TargetOf("//db:bench", "BM_Insert/8"), "//db:bench#BM_Insert/8");
  EXPECT_EQ(TargetOf("//db:test", ""), "//db:test");
  EXPECT_EQ(TestOf("//db:bench#BM_Insert/8#2"), "//db:bench");
  EXPECT_EQ(PartOf("//db:bench#BM_Insert/8#2"), "BM_Insert/8#2");
  EXPECT_EQ(TestOf("//db:test"), "//db:test");
  EXPECT_EQ(PartOf("//db:test"), "");
}

}  // namespace
}  // namespace gprofhub::ci
