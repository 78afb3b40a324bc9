#include "profile/environment.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gprofhub::profile {

namespace {

Environment WithProcessors(uint32_t processors) {
  Environment environment;
  environment.architecture = "x86_64";
  environment.processors = processors;
  return environment;
}

TEST(AddEnvironment, KeepsEachOnceAndNoUnknownOne) {
  std::vector<Environment> environments;
  for (const uint32_t processors : {2u, 1u, 2u}) {
    AddEnvironment(WithProcessors(processors), environments);
  }
  AddEnvironment({}, environments);
  EXPECT_EQ(environments, (std::vector{WithProcessors(1), WithProcessors(2)}));
}

TEST(AddEnvironment, KeepsTheSameOnesInEveryOrder) {
  std::vector<Environment> ascending, descending;
  for (uint32_t i = 1; i <= 20; ++i) {
    AddEnvironment(WithProcessors(i), ascending);
    AddEnvironment(WithProcessors(21 - i), descending);
  }
  EXPECT_EQ(ascending.size(), kMostEnvironments);
  EXPECT_EQ(ascending, descending);
}

}  // namespace

}  // namespace gprofhub::profile
