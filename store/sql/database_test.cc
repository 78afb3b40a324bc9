#include "store/sql/database.h"

#include <gtest/gtest.h>

namespace gprofhub::store::sql {

namespace {

TEST(CleanTextTest, ReplacesWhatCannotBeStored) {
  EXPECT_EQ(CleanText(std::string("a\0b\xFF\xE2\x82\xAC", 7), 100), "a?b?\xE2\x82\xAC");
}

TEST(CleanTextTest, CutsBetweenCharacters) {
  EXPECT_EQ(CleanText("ab\xE2\x82\xAC", 4), "ab");
  EXPECT_EQ(CleanText("ab\xE2\x82\xAC", 5), "ab\xE2\x82\xAC");
}

}  // namespace

}  // namespace gprofhub::store::sql
