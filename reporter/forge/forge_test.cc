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

TEST(NumberAfterTest, TakesTheDigitsOfALink) {
  EXPECT_EQ(*NumberAfter("https://h/o/r/actions/runs/99", "/actions/runs/"), "99");
  EXPECT_EQ(*NumberAfter("https://h/o/r/actions/runs/99/attempts/2", "/actions/runs/"), "99");
  EXPECT_EQ(*NumberAfter("https://h/o/r/-/jobs/5#L3", "/-/jobs/"), "5");
  for (const char* bad : {"", "https://h/o/r", "/actions/runs/", "/actions/runs/x",
                          "/actions/runs/../../1", "/actions/runs/-1", "/actions/runs/1x"}) {
    EXPECT_TRUE(absl::IsFailedPrecondition(NumberAfter(bad, "/actions/runs/").status())) << bad;
  }
}

}  // namespace
}  // namespace gprofhub::reporter
