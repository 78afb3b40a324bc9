#include "cli/proxy/companion.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace gprofhub::cli {
namespace {

TEST(CompanionTest, TheProgramsExitCodeIsGiven) {
  const CompanionSignals signals;
  EXPECT_EQ(*signals.Run({"sh", "-c", "exit 37"}), 37);
  EXPECT_EQ(*signals.Run({"true"}), 0);
  EXPECT_EQ(*signals.Run({"sh", "-c", "kill -9 $$"}), 128 + 9);
  EXPECT_EQ(signals.Run({"/no/such/program"}).status().code(), absl::StatusCode::kNotFound);
}

TEST(CompanionTest, ASignalToEndIsPassedOnToTheProgram) {
  const CompanionSignals signals;
  // The program asks its parent, and is then told by it.
  EXPECT_EQ(
      *signals.Run(
          {"sh", "-c", "trap 'exit 5' TERM; kill -TERM $PPID; while :; do read x <&- || :; done"}),
      5);
}

TEST(CompanionTest, TheProgramHasNoSignalBlocked) {
  const CompanionSignals signals;
  EXPECT_EQ(*signals.Run({"sh", "-c", "grep -q '^SigBlk:\\s*0*$' /proc/self/status"}), 0);
}

TEST(CompanionTest, WithoutAProgramASignalToEndIsAwaited) {
  const CompanionSignals signals;
  kill(getpid(), SIGTERM);
  signals.AwaitEnd();
}

}  // namespace
}  // namespace gprofhub::cli
