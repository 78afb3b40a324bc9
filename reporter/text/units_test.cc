#include "reporter/text/units.h"

#include <gtest/gtest.h>

namespace gprofhub::reporter {
namespace {

using profile::CountUnit;

TEST(Units, StandBehindCounts) {
  EXPECT_EQ(CountInUnit(9303, CountUnit::kCalls), "9,303 calls");
  EXPECT_EQ(CountInUnit(1, CountUnit::kBytes), "1 byte");
  EXPECT_EQ(CountInUnit(0, CountUnit::kBytes), "0 bytes");
  EXPECT_EQ(CountInUnit(749'625, CountUnit::kMicroseconds), "750 ms");
  EXPECT_EQ(CountInUnit(749'625'000, CountUnit::kNanoseconds), "750 ms");
  EXPECT_EQ(CountInUnit(1500, CountUnit::kEvents), "1,500 events");
}

TEST(Units, HeadColumns) {
  EXPECT_EQ(ColumnOfCounts(CountUnit::kCalls), "calls");
  EXPECT_EQ(ColumnOfCounts(CountUnit::kNanoseconds), "time");
}

}  // namespace
}  // namespace gprofhub::reporter
