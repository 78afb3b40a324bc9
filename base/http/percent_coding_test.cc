#include "base/http/percent_coding.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::base {
namespace {

TEST(PercentEncodedTest, LeavesOnlyWhatNeedsNoEncoding) {
  EXPECT_EQ(PercentEncoded("group/na me-1.2_~?#\xC3"), "group%2Fna%20me-1.2_~%3F%23%C3");
  EXPECT_EQ(PercentEncoded(""), "");
}

TEST(PercentDecodedTest, TakesBackWhatWasEncoded) {
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte.push_back(static_cast<char>(byte));
  EXPECT_EQ(PercentDecoded(PercentEncoded(every_byte)), every_byte);
  EXPECT_EQ(PercentDecoded(""), "");
}

TEST(PercentDecodedTest, LeavesAPercentSignThatEncodesNothing) {
  EXPECT_EQ(PercentDecoded("50%"), "50%");
  EXPECT_EQ(PercentDecoded("%4"), "%4");
  EXPECT_EQ(PercentDecoded("%zz%41"), "%zzA");
  EXPECT_EQ(PercentDecoded("a+b"), "a+b");
}

}  // namespace
}  // namespace gprofhub::base
