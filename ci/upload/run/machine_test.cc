#include "ci/upload/run/machine.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::ci {
namespace {

TEST(MachineKind, IsTheModelAndTheNumberOfProcessors) {
  EXPECT_EQ(MachineKind("processor\t: 0\nmodel name\t: AMD EPYC 7763 64-Core Processor\n\n"
                        "processor\t: 1\nmodel name\t: AMD EPYC 7763 64-Core Processor\n"),
            "AMD EPYC 7763 64-Core Processor, 2 processors");
  EXPECT_EQ(MachineKind("processor\t: 0\nmodel name\t: X: 1\n"), "X: 1, 1 processor");
}

TEST(MachineKind, OfArmIsImplementerAndPart) {
  EXPECT_EQ(MachineKind("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"),
            "Arm implementer 0x41 part 0xd0c, 1 processor");
}

TEST(MachineKind, IsEmptyWhereNothingIsSaid) {
  EXPECT_EQ(MachineKind(""), "");
  EXPECT_EQ(MachineKind("processor : 0\n"), "");
  EXPECT_EQ(MachineKind("model name : alone\n"), "");
}

TEST(MachineKind, OfHostileTextIsShortAndPrintable) {
  const std::string kind =
      MachineKind("processor: 0\nmodel name: \x1b[31m" + std::string(10000, 'x') + "\n");
  EXPECT_LE(kind.size(), 200u);
  EXPECT_EQ(kind.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace gprofhub::ci
