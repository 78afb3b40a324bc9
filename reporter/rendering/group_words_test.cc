#include "reporter/rendering/group_words.h"

#include <gtest/gtest.h>

namespace gprofhub::reporter {
namespace {

v1::Finding RewriteFinding() {
  v1::Finding finding;
  finding.set_function("json*");
  v1::Rewrite& rewrite = *finding.mutable_rewrite();
  rewrite.set_component("json*");
  rewrite.add_pairs()->set_before("jsonOld");
  rewrite.add_gone("jsonGone");
  rewrite.add_came("jsonCame");
  rewrite.add_came("jsonToo");
  rewrite.set_share_before(0.062);
  rewrite.set_share_after(0.051);
  return finding;
}

TEST(GroupWords, OfARewriteHaveTheFunctionsAndTheirSum) {
  const v1::Finding finding = RewriteFinding();
  EXPECT_EQ(GroupWords(finding),
            "rewritten: 2 functions replaced by 3, together 6.2% → 5.1% of the test's CPU");
  EXPECT_EQ(GroupHeadline(finding),
            "a rewrite: 2 functions replaced by 3, together 6.2% → 5.1% of the test's CPU");
}

TEST(GroupWords, OfAToolchainHaveTheFilesAndWhatIsBeside) {
  v1::Finding finding;
  finding.set_function("gcc 12.2.0 -O2 → clang 14.0.6 -O2");
  v1::ToolchainChange& toolchain = *finding.mutable_toolchain();
  toolchain.set_files(214);
  toolchain.set_all_files(230);
  toolchain.set_folded(87);
  EXPECT_EQ(GroupWords(finding), "compiled 214 of 230 files; 87 functions changed with it");
  toolchain.add_beside("f");
  EXPECT_EQ(GroupWords(finding),
            "compiled 214 of 230 files; 87 functions changed with it; also changed, beside the "
            "toolchain: 1 function");
  EXPECT_EQ(GroupHeadline(finding), "another toolchain compiled 214 of 230 files");
}

TEST(GroupWords, OfTheEffectSayWhatTheSamplesCannotTell) {
  v1::Finding finding = RewriteFinding();
  finding.set_verdict(v1::Finding::CANNOT_TELL);
  EXPECT_EQ(GroupEffectWords(finding), "own time together: too few samples");
  finding.set_detectable_percent(30);
  EXPECT_EQ(GroupEffectWords(finding), "own time together: cannot tell below ±30%");
  finding.set_verdict(v1::Finding::IMPROVED);
  finding.set_effect_percent(-18);
  finding.set_interval_low_percent(-30);
  finding.set_interval_high_percent(-5);
  EXPECT_EQ(GroupEffectWords(finding), "-18% own time together (95%: -30% to -5.0%)");
}

TEST(GroupWords, OfAFunctionAreNone) {
  EXPECT_FALSE(IsGroup(v1::Finding()));
  EXPECT_EQ(GroupWords(v1::Finding()), "");
}

}  // namespace
}  // namespace gprofhub::reporter
