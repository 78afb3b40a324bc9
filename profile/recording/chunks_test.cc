#include "profile/recording/chunks.h"

#include <gtest/gtest.h>

namespace gprofhub::profile {

namespace {

TEST(ModuleMap, TakesAddressesToTheirModulesAsLinked) {
  ModuleMap map;
  map.Add(0x1000, 0x2000, 0x1000, 0, 0);
  map.Add(0x5000, 0x6000, 0x4000, 0, 1);
  map.Build();
  ASSERT_TRUE(map.Find(0x1000).has_value());
  EXPECT_EQ(map.Find(0x1000)->module, 0u);
  EXPECT_EQ(map.Find(0x1000)->pc, 0u);
  EXPECT_EQ(map.Find(0x5fff)->module, 1u);
  EXPECT_EQ(map.Find(0x5fff)->pc, 0x1fffu);
}

TEST(ModuleMap, KnowsNothingBeforeBetweenAndBehindModules) {
  ModuleMap map;
  map.Add(0x1000, 0x2000, 0, 0, 0);
  map.Add(0x5000, 0x6000, 0, 0, 1);
  map.Build();
  for (const uint64_t pc : {0x0, 0xfff, 0x2000, 0x4fff, 0x6000}) {
    EXPECT_FALSE(map.Find(pc).has_value()) << pc;
  }
}

TEST(ModuleMap, OfTwoAtOneAddressTheLaterCounts) {
  ModuleMap map;
  map.Add(0x1800, 0x2800, 0, 2, 1);
  map.Add(0x1000, 0x2000, 0, 1, 0);
  map.Build();
  EXPECT_EQ(map.Find(0x17ff)->module, 0u);
  EXPECT_EQ(map.Find(0x1800)->module, 1u);
  EXPECT_EQ(map.Find(0x27ff)->module, 1u);
}

TEST(ModuleMap, IsEmptyWithoutModules) {
  ModuleMap map;
  map.Build();
  EXPECT_FALSE(map.Find(0x1000).has_value());
}

TEST(MissingCalls, AreThoseOfUnwrittenTablesAndThoseNotCounted) {
  Recording recording;
  recording.losses = {{"lost_calls", 0}, {"lost_samples", 7}, {"unrecorded_tables", 0}};
  EXPECT_EQ(MissingCalls(recording), "");
  recording.losses[2].second = 1;
  EXPECT_EQ(MissingCalls(recording), "the file could not hold 1 table of counts");
  recording.losses[0].second = 12;
  EXPECT_EQ(MissingCalls(recording),
            "no memory was left to count 12 calls; the file could not hold 1 table of counts");
}

}  // namespace

}  // namespace gprofhub::profile
