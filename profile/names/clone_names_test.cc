#include "profile/names/clone_names.h"

#include <gtest/gtest.h>

namespace gprofhub::profile {
namespace {

TEST(WithoutCloneSuffixes, KnowsTheFunctionThatACopyIsOf) {
  for (const CloneKinds kinds : {CloneKinds::kCopies, CloneKinds::kAll}) {
    EXPECT_EQ(WithoutCloneSuffixes("parse.part.0", kinds), "parse");
    EXPECT_EQ(WithoutCloneSuffixes("parse.constprop.12.isra.0", kinds), "parse");
    EXPECT_EQ(WithoutCloneSuffixes("_Z1fv.isra.0", kinds), "_Z1fv");
    EXPECT_EQ(WithoutCloneSuffixes("_ZN1aE.llvm.123", kinds), "_ZN1aE");
    EXPECT_EQ(WithoutCloneSuffixes("f.localalias", kinds), "f");
    EXPECT_EQ(WithoutCloneSuffixes("f.__uniq.71.clone.2", kinds), "f");
  }
}

TEST(WithoutCloneSuffixes, TellsCopiesFromWhatRunsAtOtherTimes) {
  for (const char* name : {"f.cold", "f.isra.0.cold", "f.cold.3", "f.resolver", "f.unlikely"}) {
    EXPECT_EQ(WithoutCloneSuffixes(name, CloneKinds::kCopies), name);
    EXPECT_EQ(WithoutCloneSuffixes(name, CloneKinds::kAll), "f");
  }
  EXPECT_EQ(WithoutCloneSuffixes("f.cold.part.0", CloneKinds::kCopies), "f.cold");
}

TEST(WithoutCloneSuffixes, LeavesOtherNames) {
  for (const CloneKinds kinds : {CloneKinds::kCopies, CloneKinds::kAll}) {
    for (const char* name : {"", "f", "f.", "table.3", "f.1.2", "f.isra.0.1", "a.partial",
                             ".part.0", ".cold", ".isra.0"}) {
      EXPECT_EQ(WithoutCloneSuffixes(name, kinds), name);
    }
  }
}

}  // namespace
}  // namespace gprofhub::profile
