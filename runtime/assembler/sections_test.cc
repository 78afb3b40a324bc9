#include "runtime/assembler/sections.h"

#include <gtest/gtest.h>

namespace gprofhub {
namespace {

class SectionsTest : public testing::Test {
 protected:
  bool Follow(std::string_view line) { return sections_.Follow(ParseStatement(line)); }
  Sections sections_;
};

TEST_F(SectionsTest, AFileBeginsInItsText) { EXPECT_TRUE(sections_.current().code); }

TEST_F(SectionsTest, FlagsSayWhatIsCode) {
  EXPECT_TRUE(Follow("\t.section\tmine,\"ax\",@progbits"));
  EXPECT_TRUE(sections_.current().code);
  EXPECT_TRUE(Follow("\t.data"));
  EXPECT_FALSE(sections_.current().code);
  EXPECT_TRUE(Follow("\t.section\tmine"));  // as before
  EXPECT_TRUE(sections_.current().code);
}

TEST_F(SectionsTest, SectionsOfOneNameAndAnotherGroupAreDifferent) {
  Follow("\t.section\t.text.f,\"axG\",@progbits,f,comdat");
  EXPECT_EQ(sections_.current().group, "f");
  const int first = sections_.index();
  Follow("\t.section\t.text.f,\"axG\",@progbits,g,comdat");
  EXPECT_EQ(sections_.current().group, "g");
  EXPECT_NE(sections_.index(), first);
}

TEST_F(SectionsTest, AMergeableSectionsGroupFollowsItsEntrySize) {
  Follow("\t.section\t.rodata.f,\"aMSG\",@progbits,1,f,comdat");
  EXPECT_EQ(sections_.current().group, "f");
}

TEST_F(SectionsTest, PushPopAndPreviousGoBack) {
  const int text = sections_.index();
  Follow("\t.pushsection\t.data");
  const int data = sections_.index();
  EXPECT_NE(data, text);
  Follow("\t.popsection");
  EXPECT_EQ(sections_.index(), text);
  Follow("\t.previous");
  EXPECT_EQ(sections_.index(), data);
}

TEST_F(SectionsTest, OtherDirectivesAreNotItsOwn) { EXPECT_FALSE(Follow("\t.p2align\t3")); }

TEST(SectionDirectiveTest, NamesTheGroupIfThereIsOne) {
  EXPECT_EQ(SectionDirective("x", "aw", "nobits", ""), "\t.section\tx,\"aw\",@nobits");
  EXPECT_EQ(SectionDirective("x", "aw", "nobits", "f"), "\t.section\tx,\"awG\",@nobits,f,comdat");
}

}  // namespace
}  // namespace gprofhub
