// A small program for tests of times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

using Runs = std::vector<profile::ComputedProfile>;

// main → work → leaf and main → steady0 … steady9, each of these with 1,000 samples.
inline ProfileBuilder SteadyProgram(double work, double leaf, uint64_t calls = 100) {
  ProfileBuilder builder;
  builder.Function("main", 500, 10000 + work + leaf).Arc("", "main", 1);
  builder.Function("work", work, leaf, "work.cc").Arc("main", "work", calls);
  builder.Function("leaf", leaf, 0, "leaf.cc").Arc("work", "leaf", 100);
  for (int i = 0; i < 10; ++i) {
    const std::string name = "steady" + std::to_string(i);
    builder.Function(name, 1000, 0, name + ".cc").Arc("main", name, 5);
  }
  return builder;
}

inline Runs Four(const ProfileBuilder& builder) { return Runs(4, builder.Build()); }

}  // namespace gprofhub::reporter
