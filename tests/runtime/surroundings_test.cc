// Programs that give up rights, lose their folder, close all descriptors or block all signals:
// every call and sample is recorded, and the program sees nothing of the runtime.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "profile/recording/reader.h"
#include "tests/runtime/run_program.h"

namespace gprofhub::tests {
namespace {

constexpr uint64_t kCallsOfThread = 100000;

// Both ways of counting.
class SurroundingsTest : public RunProgramTest, public testing::WithParamInterface<const char*> {
 protected:
  SurroundingsTest() : RunProgramTest(GetParam()) {
    environment_["GPROFHUB_GMON"] = "0";
    fs::remove_all(moved_);
  }
  ~SurroundingsTest() override { fs::remove_all(moved_); }

  // Every call of `serve` is in the recording, nothing is missing, and nothing was said.
  void ExpectComplete(uint64_t threads = 1) {
    const profile::Recording recording = OnlyRecording();
    const profile::RecordedModule* const program = profile::FindModule(recording, "");
    ASSERT_NE(program, nullptr);
    uint64_t most = 0;
    for (const profile::RawArc& arc : program->profile.arcs) most = std::max(most, arc.count);
    EXPECT_EQ(most, threads * kCallsOfThread);
    EXPECT_EQ(profile::MissingCalls(recording), "");
    EXPECT_EQ(err_, "");
  }

  void SampleByHand() {
    environment_["GPROFHUB_SAMPLER"] = "timer";
    environment_["GPROFHUB_SAMPLE_RATE"] = "1";
  }

  const fs::path moved_ = folder_.string() + "-moved";
};

INSTANTIATE_TEST_SUITE_P(Programs, SurroundingsTest,
                         testing::Values("surroundings_program", "surroundings_counted"),
                         [](const auto& of) { return std::string(of.param); });

TEST_P(SurroundingsTest, TheFolderMoves) {
  ASSERT_EQ(Run("moved"), 0);
  fs::rename(moved_, folder_);
  ExpectComplete();
}

TEST_P(SurroundingsTest, TheFolderIsRemoved) {
  ASSERT_EQ(Run("removed"), 0);
  EXPECT_EQ(ErrLines(), 1) << err_;
  EXPECT_NE(err_.find("the recording was removed while the program ran"), std::string::npos);
  fs::create_directories(folder_);
}

TEST_P(SurroundingsTest, AMessageIsNotWrittenIntoTheProgramsFile) {
  ASSERT_EQ(Run("own_stderr"), 0);
  EXPECT_EQ(Slurp(moved_), "");
  fs::create_directories(folder_);
}

TEST_P(SurroundingsTest, AMessageThatCannotBeWrittenEndsNothing) {
  // Into a file at its limit, and into a pipe that has no reader.
  EXPECT_EQ(Run("none", RLIMIT_FSIZE, 0), 0);
  EXPECT_EQ(err_, "");
  EXPECT_EQ(Run("unread_stderr"), 0);
  fs::create_directories(folder_);
}

TEST_P(SurroundingsTest, RightsAreGivenUp) {
  if (geteuid() != 0) GTEST_SKIP() << "only root has rights to give up";
  ASSERT_EQ(Run("rights"), 0);
  ExpectComplete();
}

TEST_P(SurroundingsTest, TheRootChanges) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can change it";
  ASSERT_EQ(Run("root"), 0);
  ExpectComplete();
}

TEST_P(SurroundingsTest, AllDescriptorsAreClosed) {
  for (const char* wish : {"closed", "close_range", "closefrom"}) {
    environment_["GPROFHUB_SAMPLE_RATE"] = "4000";
    ASSERT_EQ(Run(wish), 0);
    ExpectComplete();
    const profile::Recording recording = OnlyRecording();
    // A ring holds 512 samples: that many were taken of threads that lost their signals.
    EXPECT_GT(recording.samples, 600u) << wish << ", by " << recording.mechanism;
    EXPECT_EQ(Loss(recording, "lost_samples"), 0u);
    for (const std::string& name : Files()) fs::remove(folder_ / name);
  }
}

TEST_P(SurroundingsTest, DescriptorsAreClosedAndRightsGivenUp) {
  if (geteuid() != 0) GTEST_SKIP() << "only root has rights to give up";
  for (const char* wish :
       {"closed,rights", "closefrom,root", "rights,closed", "root,close_range"}) {
    SCOPED_TRACE(wish);
    ASSERT_EQ(Run(std::string(wish) + " exit 3"), 0);
    ExpectComplete(3);
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
}

TEST_P(SurroundingsTest, AChildGivesUpRightsBeforeItCounts) {
  if (geteuid() != 0) GTEST_SKIP() << "only root has rights to give up";
  ASSERT_EQ(Run("fork,rights exit 3"), 0);
  EXPECT_EQ(err_, "");
  uint64_t most = 0;
  for (const std::string& name : Files()) {
    const auto recording = profile::ReadRecording(Slurp(folder_ / name), name);
    ASSERT_TRUE(recording.ok()) << recording.status();
    EXPECT_EQ(profile::MissingCalls(*recording), "");
    for (const profile::RawArc& arc : profile::FindModule(*recording, "")->profile.arcs) {
      most = std::max(most, arc.count);
    }
  }
  EXPECT_EQ(most, 3 * kCallsOfThread);
}

// Nothing can keep the descriptor then.
TEST_P(SurroundingsTest, WhatCannotBeRecordedIsMissing) {
  if (geteuid() != 0) GTEST_SKIP() << "only root has rights to give up";
  ASSERT_EQ(Run("bare_close,rights exit 3"), 0);
  EXPECT_NE(profile::MissingCalls(OnlyRecording()), "");
  EXPECT_EQ(ErrLines(), 1) << err_;
}

TEST_P(SurroundingsTest, DescriptorsAreCounted) {
  for (const char* sampler : {"ring", "perf", "timer"}) {
    environment_["GPROFHUB_SAMPLE_RATE"] = "1000";
    environment_["GPROFHUB_SAMPLER"] = sampler;
    ASSERT_EQ(Run("descriptors"), 0);
    EXPECT_EQ(out_, "0 more in a thread, 0 more after it\n") << sampler;
  }
}

TEST_P(SurroundingsTest, EveryWayToEnd) {
  std::vector<std::string> changes = {"none", "moved", "closed", "close_range"};
  if (geteuid() == 0) changes.insert(changes.end(), {"rights", "root"});
  for (const std::string& change : changes) {
    for (const char* end : {"exit", "_exit", "quick_exit", "abort", "kill"}) {
      for (const int threads : {1, 16}) {
        SCOPED_TRACE(change + ", " + end + ", " + std::to_string(threads) + " threads");
        Run(change + " " + end + " " + std::to_string(threads));
        if (change == "moved") fs::rename(moved_, folder_);
        ExpectComplete(threads);
        fs::remove_all(folder_);
        fs::create_directories(folder_);
      }
    }
  }
}

constexpr char kBlocked[] =
    "signalfd: none\n"
    "sigwait: 15; then -1\n"
    "another's: 27; then -1\n";

TEST_P(SurroundingsTest, AllSignalsAreBlocked) {
  SampleByHand();
  ASSERT_EQ(Run("blocked"), 0);
  EXPECT_EQ(out_, std::string("blocked before 0, in a thread 1\n") + kBlocked +
                      "blocked until then 1, now 0\n");
  EXPECT_EQ(OnlyRecording().samples, 8u);
}

TEST_P(SurroundingsTest, AllSignalsAreBlockedFromTheStart) {
  SampleByHand();
  ASSERT_EQ(Run("exec_blocked"), 0);
  EXPECT_EQ(out_, std::string("blocked before 1, in a thread 1\n") + kBlocked +
                      "blocked until then 1, now 1\n");
  uint64_t samples = 0;
  for (const std::string& name : Files()) {
    const auto recording = profile::ReadRecording(Slurp(folder_ / name), name);
    ASSERT_TRUE(recording.ok()) << recording.status();
    samples += recording->samples;
  }
  EXPECT_EQ(samples, 8u);
}

TEST_P(SurroundingsTest, AHandlerBlocksAllSignals) {
  SampleByHand();
  ASSERT_EQ(Run("handler"), 0);
  EXPECT_EQ(out_, "blocked 1, another 0; with a handler of its own 1\n");
  EXPECT_EQ(OnlyRecording().samples, 4u);
}

TEST_P(SurroundingsTest, AThreadThatEndsCountsItsLostSamples) {
  environment_["GPROFHUB_SAMPLE_RATE"] = "4000";
  environment_["GPROFHUB_SAMPLER"] = "ring";
  ASSERT_EQ(Run("overflow"), 0);
  const profile::Recording recording = OnlyRecording();
  if (recording.mechanism == "off") GTEST_SKIP() << "no perf_event";
  // A second of CPU time, of which a ring holds an eighth.
  EXPECT_GT(Loss(recording, "lost_samples"), 1000u);
}

TEST_P(SurroundingsTest, BlockedSignalsBelongToTheProgramWithoutASampler) {
  environment_["GPROFHUB_SAMPLER"] = "off";
  const int status = Run("blocked");
  ASSERT_EQ(status, 0);
  EXPECT_NE(out_.find("signalfd: some"), std::string::npos) << out_;
}

TEST_P(SurroundingsTest, TheSignalStackIsSmall) {
  SampleByHand();
  ASSERT_EQ(Run("small_stack"), 0);
  EXPECT_EQ(OnlyRecording().samples, 4u);
}

}  // namespace
}  // namespace gprofhub::tests
