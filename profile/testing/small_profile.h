// A small profile with everything but stacks, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include "profile/raw_profile.h"

namespace gprofhub::profile {

inline RawProfile SmallProfile() {
  RawProfile profile;
  profile.histograms.push_back({0x1000, 0x1040, 100, "seconds", 's', {0, 3, 65535, 7}});
  profile.arcs.push_back({0x1010, 0x1020, 5});
  profile.arcs.push_back({0x1030, 0x1020, 4294967295u});
  profile.blocks.push_back({0x1008, 12});
  return profile;
}

inline void ExpectEqualProfiles(const RawProfile& a, const RawProfile& b) {
  ASSERT_EQ(a.histograms.size(), b.histograms.size());
  for (size_t i = 0; i < a.histograms.size(); ++i) {
    EXPECT_EQ(a.histograms[i].low_pc, b.histograms[i].low_pc);
    EXPECT_EQ(a.histograms[i].high_pc, b.histograms[i].high_pc);
    EXPECT_EQ(a.histograms[i].rate, b.histograms[i].rate);
    EXPECT_EQ(a.histograms[i].dimension, b.histograms[i].dimension);
    EXPECT_EQ(a.histograms[i].abbreviation, b.histograms[i].abbreviation);
    EXPECT_EQ(a.histograms[i].bins, b.histograms[i].bins);
  }
  ASSERT_EQ(a.arcs.size(), b.arcs.size());
  for (size_t i = 0; i < a.arcs.size(); ++i) {
    EXPECT_EQ(a.arcs[i].from_pc, b.arcs[i].from_pc);
    EXPECT_EQ(a.arcs[i].self_pc, b.arcs[i].self_pc);
    EXPECT_EQ(a.arcs[i].count, b.arcs[i].count);
  }
  ASSERT_EQ(a.blocks.size(), b.blocks.size());
  for (size_t i = 0; i < a.blocks.size(); ++i) {
    EXPECT_EQ(a.blocks[i].pc, b.blocks[i].pc);
    EXPECT_EQ(a.blocks[i].count, b.blocks[i].count);
  }
}

}  // namespace gprofhub::profile
