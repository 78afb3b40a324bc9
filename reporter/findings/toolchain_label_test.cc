#include "reporter/findings/toolchain_label.h"

#include <gtest/gtest.h>

namespace gprofhub::reporter {
namespace {

TEST(ToolchainLabel, OfTwoCompilersHasVersionsAndLevels) {
  EXPECT_EQ(ToolchainLabel("gcc 12.2.0 -O2 -march=x86-64 -mtune=generic", "clang 14.0.6 -O2"),
            "gcc 12.2.0 -O2 → clang 14.0.6 -O2");
  EXPECT_EQ(ToolchainLabel("gcc 11.4.0", "gcc 12.2.0"), "gcc 11.4.0 → gcc 12.2.0");
}

TEST(ToolchainLabel, OfOneCompilerHasTheOptionsThatDiffer) {
  EXPECT_EQ(ToolchainLabel("gcc 12.2.0 -O2 -march=x86-64", "gcc 12.2.0 -O3 -march=x86-64"),
            "gcc 12.2.0 -O2 → gcc 12.2.0 -O3");
  EXPECT_EQ(ToolchainLabel("gcc 12.2.0 -O2 -march=x86-64", "gcc 12.2.0 -O2 -march=x86-64-v2"),
            "gcc 12.2.0 -O2 -march=x86-64 → gcc 12.2.0 -O2 -march=x86-64-v2");
  EXPECT_EQ(ToolchainLabel("gcc 1 -O2", "gcc 1 -O2 -fa -fb -fc -fd -fe"),
            "gcc 1 -O2 → gcc 1 -O2 -fa -fb -fc … 2 more");
}

}  // namespace
}  // namespace gprofhub::reporter
