// The processes of a Bazel test share one file.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "profile/recording/reader.h"
#include "profile/recording/shared.h"
#include "tests/runtime/run_program.h"
#include "tests/runtime/slurp.h"

namespace gprofhub::tests {
namespace {

constexpr char kShared[] = "processes.gprofhub";

class RuntimeSharingTest : public RunProgramTest {
 protected:
  RuntimeSharingTest() : RunProgramTest("behaviour_program") {
    environment_["TEST_UNDECLARED_OUTPUTS_DIR"] = folder_.string();
    environment_["GPROFHUB_PROFILE_DIR"] = "";
    environment_["GPROFHUB_GMON"] = "fallback";
  }

  // Calls by the name of the process, in the file.
  std::map<std::string, uint64_t> CallsIn(const std::string& file = kShared) const {
    std::map<std::string, uint64_t> calls;
    const absl::Status status = profile::VisitRecordings(
        Slurp(folder_ / file), file,
        [&](const std::string& name, absl::StatusOr<absl::string_view> bytes) {
          if (!bytes.ok()) return bytes.status();
          const auto recording = profile::ReadRecording(*bytes, name);
          if (!recording.ok()) return recording.status();
          for (const auto& [loss, lost] : recording->losses) EXPECT_EQ(lost, 0) << loss;
          const profile::RecordedModule* program = profile::FindModule(*recording, "");
          calls[name] = program == nullptr ? 0 : Calls(program->profile);
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
    return calls;
  }

  uint64_t OnlyCalls(const std::string& file = kShared) const {
    const auto calls = CallsIn(file);
    EXPECT_EQ(calls.size(), 1);
    return calls.empty() ? 0 : calls.begin()->second;
  }
};

TEST_F(RuntimeSharingTest, FiveHundredProcessesLeaveOneFileWithExactCounts) {
  ASSERT_EQ(Run("processes"), 0) << err_;
  EXPECT_EQ(Files(), std::vector<std::string>{kShared});
  EXPECT_EQ(err_, "");
  uint64_t want = 0;
  size_t processes = 1;  // the parent, which has counted nothing
  for (int i = 0; i < 500; ++i) {
    want += i % 7 + 1;
    ++processes;
    const bool executes = i % 3 != 0 && i % 5 == 1;
    want += executes ? 1000 : 0;
    processes += executes ? 1 : 0;
  }
  uint64_t got = 0;
  const auto calls = CallsIn();
  for (const auto& [name, of_process] : calls) got += of_process;
  EXPECT_EQ(got, want);
  EXPECT_EQ(calls.size(), processes);
}

TEST_F(RuntimeSharingTest, ProcessesOfACaseAreNamedByIt) {
  environment_["GPROFHUB_CASE"] = "BM%2F8";
  environment_["GPROFHUB_PROFILE_DIR"] = (folder_ / "gprofhub.cases/BM%2F8").string();
  ASSERT_EQ(Run("count"), 0);
  EXPECT_EQ(Files(), std::vector<std::string>{kShared});
  const auto calls = CallsIn();
  ASSERT_EQ(calls.size(), 1);
  EXPECT_EQ(calls.begin()->first.rfind("gprofhub.cases/BM%2F8/behaviour_program.", 0), 0);
  EXPECT_EQ(calls.begin()->second, 1000);
}

TEST_F(RuntimeSharingTest, ChosenDirectoryIsNotShared) {
  environment_["GPROFHUB_PROFILE_DIR"] = folder_.string();
  ASSERT_EQ(Run("count"), 0);
  EXPECT_FALSE(fs::exists(folder_ / kShared));
  EXPECT_EQ(RecordedCalls(), 1000);
}

// Where the shared file cannot be used, the process has a file of its own.
TEST_F(RuntimeSharingTest, UnusableFileIsReplacedByAnOwnOne) {
  fs::create_directories(folder_ / kShared / "in_its_way");
  ASSERT_EQ(Run("count"), 0);
  ASSERT_EQ(Files().size(), 2);
  EXPECT_EQ(OnlyCalls(Files()[0]), 1000);
  EXPECT_EQ(err_, "");
}

TEST_F(RuntimeSharingTest, LimitedFileSizeNeedsAnOwnFile) {
  ASSERT_EQ(Run("count", RLIMIT_FSIZE, 16 << 20), 0);
  EXPECT_FALSE(fs::exists(folder_ / kShared));
  EXPECT_EQ(RecordedCalls(), 1000);
}

TEST_F(RuntimeSharingTest, WithoutAFileTheFallbackIsAGmonFile) {
  ASSERT_EQ(Run("count", RLIMIT_FSIZE, 16 << 10), 0);
  ASSERT_EQ(Files().size(), 1);
  EXPECT_NE(Files()[0].find(".gmon."), std::string::npos);
}

TEST_F(RuntimeSharingTest, MondisableRemovesOnlyItsProcess) {
  ASSERT_EQ(Run("count"), 0);
  ASSERT_EQ(Run("mondisable"), 0);
  EXPECT_EQ(OnlyCalls(), 1000);
}

TEST_F(RuntimeSharingTest, DumpHasOnlyItsProcess) {
  ASSERT_EQ(Run("count"), 0);
  ASSERT_EQ(Run("dump"), 0) << err_;
  ASSERT_EQ(Files().size(), 2);
  EXPECT_EQ(OnlyCalls(Files()[0]), 1) << Files()[0];
  EXPECT_EQ(CallsIn().size(), 2);
}

}  // namespace
}  // namespace gprofhub::tests
