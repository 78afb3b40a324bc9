#include "reporter/forge/forge.h"

#include <gtest/gtest.h>

namespace gprofhub::reporter {
namespace {

TEST(ParseNumberTest, TakesWhatForgesWrite) {
  EXPECT_EQ(*ParseNumber("17"), "17");
  EXPECT_EQ(*ParseNumber("#17"), "17");
  EXPECT_EQ(*ParseNumber("!17"), "17");
  for (const char* bad : {"", "#", "17/2", "../1", "1?x", "1234567890123456789", "-1"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseNumber(bad).status())) << bad;
  }
}

}  // namespace
}  // namespace gprofhub::reporter
