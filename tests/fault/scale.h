// How much of a fault test to do, and with which luck.
//
// In `./ci/test` the tests are short. `bazel test --config=reliability //tests/fault/...` sets
// GPROFHUB_RELIABILITY=long: then they do what docs/reliability.md reports.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

namespace gprofhub::tests {

inline int Scaled(int in_short, int in_long) {
  const char* given = std::getenv("GPROFHUB_RELIABILITY");
  return given != nullptr && std::string_view(given) == "long" ? in_long : in_short;
}

// The seed of a test's draws. GPROFHUB_FAULT_SEED repeats the draw of a failure.
inline uint32_t Seed() {
  const char* given = std::getenv("GPROFHUB_FAULT_SEED");
  const uint32_t seed =
      given != nullptr ? static_cast<uint32_t>(std::strtoul(given, nullptr, 10)) : 20240229u;
  std::cout << "GPROFHUB_FAULT_SEED=" << seed << std::endl;
  return seed;
}

}  // namespace gprofhub::tests
