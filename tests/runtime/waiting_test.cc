// Waiting times and system calls by function, in programs that run until the recording shows them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profile/recording/reader.h"
#include "tests/runtime/programs_under_test.h"
#include "tests/runtime/recorded_calls.h"
#include "tests/runtime/slurp.h"

namespace gprofhub::tests {
namespace {

namespace fs = std::filesystem;

constexpr char kWaiting[] = "gprofhub_waiting_microseconds";
constexpr char kSystem[] = "gprofhub_system_microseconds";

using Arcs = std::map<std::pair<std::string, std::string>, uint64_t>;

// A running program. Closing its input ends it.
class Program {
 public:
  Program(const std::string& name, const std::string& wish,
          const std::map<std::string, std::string>& environment = {})
      : image_(ProgramPath(name)),
        folder_(fs::path(testing::TempDir()) /
                (name + "_" + wish +
                 testing::UnitTest::GetInstance()->current_test_info()->test_suite_name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    EXPECT_EQ(pipe2(input_, O_CLOEXEC), 0);
    process_ = fork();
    if (process_ != 0) return;
    dup2(input_[0], 0);
    setenv("GPROFHUB_PROFILE_DIR", folder_.c_str(), 1);
    setenv("GPROFHUB_GMON", "0", 1);
    setenv("GPROFHUB_WAITING", "1", 1);
    for (const auto& [variable, value] : environment) setenv(variable.c_str(), value.c_str(), 1);
    if (freopen((folder_ / "err").c_str(), "w", stderr) == nullptr) _exit(95);
    closefrom(3);
    Execute(image_, {wish});
    _exit(96);
  }

  // Current sum of all recordings.
  Arcs Recorded() const {
    Arcs arcs;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() != ".gprofhub") continue;
      const absl::StatusOr<profile::Recording> recording =
          profile::ReadRecording(Slurp(entry.path()), entry.path().string());
      if (!recording.ok()) continue;  // it is just being begun
      const auto* const module = profile::FindModule(*recording, "");
      if (module == nullptr) continue;
      for (const auto& [arc, count] : CallsIn(module->profile, image_).between) arcs[arc] += count;
    }
    return arcs;
  }

  // Returns when the recording has all of these functions wait.
  void AwaitWaiting(const std::vector<std::string>& functions) const {
    for (bool all = false; !all; poll(nullptr, 0, 5)) {
      const Arcs arcs = Recorded();
      all = true;
      for (const std::string& function : functions) all &= arcs.contains({function, kWaiting});
      if (const std::string complaints = Complaints(); !complaints.empty()) {
        ADD_FAILURE() << complaints;
        return;
      }
    }
  }

  // Its status, as waitpid() has it, when its input has ended and it has, too.
  int End() {
    close(input_[1]);
    int status = 0;
    waitpid(process_, &status, 0);
    close(input_[0]);
    return status;
  }

  std::string Complaints() const { return Slurp(folder_ / "err"); }

 private:
  const std::string image_;
  const fs::path folder_;
  int input_[2] = {};
  pid_t process_ = 0;
};

bool HasQuantities(const Arcs& arcs) {
  for (const auto& [arc, count] : arcs) {
    if (arc.second == kWaiting || arc.second == kSystem) return true;
  }
  return false;
}

#ifdef GPROFHUB_AARCH64

// The emulator makes no thread that has descriptors of its own, and its /proc is the host's.
TEST(Waiting, SaysWhereItHasNoEffect) {
  Program program("waiting_O2", "interrupted");
  EXPECT_EQ(program.End(), 0);
  EXPECT_FALSE(HasQuantities(program.Recorded()));
  EXPECT_EQ(program.Complaints(),
            "gprofhub: waiting_O2: GPROFHUB_WAITING has no effect: cannot create a thread\n");
}

#else

class WaitingTest : public testing::TestWithParam<const char*> {};

TEST_P(WaitingTest, IsThatOfTheFunctionThatWaits) {
  Program program(GetParam(), "threads");
  program.AwaitWaiting({"reads_input", "waits_for_end"});
  EXPECT_EQ(program.End(), 0);
  EXPECT_EQ(program.Complaints(), "");
}

TEST_P(WaitingTest, IsThereWhenAProgramEndsMeanwhile) {
  for (const char* how : {"exit", "_exit"}) {
    Program program(GetParam(), how);
    program.AwaitWaiting({"reads_input", "waits_for_end"});
    EXPECT_EQ(program.End(), 0) << how;
    EXPECT_TRUE(program.Recorded().contains({"waits_for_end", kWaiting})) << how;
  }
}

TEST_P(WaitingTest, IsThatOfEachProcess) {
  Program program(GetParam(), "fork");
  program.AwaitWaiting({"reads_input", "waits_for_child"});
  EXPECT_EQ(program.End(), 0);
}

TEST_P(WaitingTest, LeavesDescriptorsAlone) {
  Program program(GetParam(), "descriptors");
  EXPECT_EQ(program.End(), 0);
}

TEST_P(WaitingTest, InterruptsNoSystemCall) {
  for (const char* sampler : {"timer", "ring"}) {
    Program program(GetParam(), "interrupted", {{"GPROFHUB_SAMPLER", sampler}});
    EXPECT_EQ(program.End(), 0) << sampler;
  }
}

TEST_P(WaitingTest, SystemTimeIsThatOfTheFunctionThatAsks) {
  Program program(GetParam(), "kernel");
  EXPECT_EQ(program.End(), 0);
  EXPECT_GT(program.Recorded()[std::make_pair("asks_kernel", kSystem)], 0);
}

TEST_P(WaitingTest, IsNotRecordedWhileNothingIs) {
  Program program(GetParam(), "kernel", {{"GPROFHUB_START", "paused"}});
  EXPECT_EQ(program.End(), 0);
  EXPECT_FALSE(HasQuantities(program.Recorded()));
}

TEST_P(WaitingTest, IsNotRecordedUnlessAskedFor) {
  Program program(GetParam(), "interrupted", {{"GPROFHUB_WAITING", "0"}});
  EXPECT_EQ(program.End(), 0);
  EXPECT_FALSE(HasQuantities(program.Recorded()));
}

TEST(Waiting, OfAStaticProgramWithoutFramesSaysSo) {
  Program program("waiting_static_without_frames", "interrupted");
  EXPECT_EQ(program.End(), 0);
  EXPECT_EQ(program.Complaints(),
            "gprofhub: waiting_static_without_frames: GPROFHUB_WAITING cannot find the callers of "
            "waits: the program was linked without --eh-frame-hdr\n");
}

INSTANTIATE_TEST_SUITE_P(Programs, WaitingTest,
                         testing::Values("waiting_O0", "waiting_O2", "waiting_fentry",
                                         "waiting_counted", "waiting_counted_clang",
                                         "waiting_static"));

#endif

}  // namespace
}  // namespace gprofhub::tests
