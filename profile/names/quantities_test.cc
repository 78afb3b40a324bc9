#include "profile/names/quantities.h"

#include <gtest/gtest.h>

namespace gprofhub::profile {
namespace {

TEST(Quantities, HaveUnits) {
  EXPECT_EQ(UnitOfCalls("gprofhub_allocated_bytes"), CountUnit::kBytes);
  EXPECT_EQ(UnitOfCalls("gprofhub_waiting_microseconds"), CountUnit::kMicroseconds);
  EXPECT_EQ(UnitOfCalls("gprofhub_system_microseconds"), CountUnit::kMicroseconds);
  EXPECT_EQ(UnitOfCalls("gprofhub_peak_bytes"), CountUnit::kBytes);
  EXPECT_EQ(UnitOfCalls("gprofhub_event_task_clock_nanoseconds"), CountUnit::kNanoseconds);
  EXPECT_EQ(UnitOfCalls("gprofhub_event_page_faults"), CountUnit::kEvents);
  EXPECT_EQ(UnitOfCalls("malloc"), CountUnit::kCalls);
  EXPECT_EQ(UnitOfCalls("rows_read"), CountUnit::kCalls);
}

TEST(Units, HaveNames) { EXPECT_EQ(UnitName(CountUnit::kMicroseconds), "microseconds"); }

TEST(Quantities, OfTimeAreMeasured) {
  EXPECT_TRUE(IsMeasuredQuantity("gprofhub_system_microseconds"));
  EXPECT_TRUE(IsMeasuredQuantity("gprofhub_event_page_faults"));
  EXPECT_FALSE(IsMeasuredQuantity("gprofhub_allocated_bytes"));
  EXPECT_FALSE(IsMeasuredQuantity("gprofhub_peak_bytes"));
}

TEST(Quantities, AllocatorsAreThoseThatTheRuntimeCounts) {
  for (const char* name : {"malloc", "pvalloc", "_Znwm", "_ZnamSt11align_val_tRKSt9nothrow_t"}) {
    EXPECT_TRUE(IsAllocator(name)) << name;
  }
  EXPECT_FALSE(IsAllocator("free"));
  EXPECT_FALSE(IsAllocator("_ZdlPv"));
}

}  // namespace
}  // namespace gprofhub::profile
