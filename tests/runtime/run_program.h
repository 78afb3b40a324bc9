// A fixture for tests of programs that have the runtime: environment, output and recordings of one
// run.
#ifndef GPROFHUB_TESTS_RUNTIME_RUN_PROGRAM_H_
#define GPROFHUB_TESTS_RUNTIME_RUN_PROGRAM_H_

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "profile/recording/reader.h"
#include "tests/runtime/programs_under_test.h"
#include "tests/runtime/slurp.h"

namespace gprofhub::tests {

namespace fs = std::filesystem;

inline uint64_t Calls(const profile::RawProfile& profile) {
  uint64_t calls = 0;
  for (const profile::RawArc& arc : profile.arcs) calls += arc.count;
  return calls;
}

// Runs a program with the runtime in an empty folder of the test's.
class RunProgramTest : public testing::Test {
 protected:
  explicit RunProgramTest(const std::string& program)
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()),
        program_(ProgramPath(program)) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    environment_ = {{"GPROFHUB_PROFILE_DIR", folder_.string()}, {"GPROFHUB_SAMPLE_RATE", "0"}};
  }

  // Runs the program with the words of `wish`; its exit status, and stdout and stderr in members.
  int Run(const std::string& wish, int resource = -1, rlim_t limit = 0) {
    return RunProgram(program_, wish, resource, limit);
  }

  int RunProgram(const std::string& program, const std::string& wish, int resource = -1,
                 rlim_t limit = 0) {
    const fs::path out = fs::path(testing::TempDir()) / "out";
    const fs::path err = fs::path(testing::TempDir()) / "err";
    const pid_t child = fork();
    if (child == 0) {
      unsetenv("TEST_UNDECLARED_OUTPUTS_DIR");
      for (const auto& [name, value] : environment_) setenv(name.c_str(), value.c_str(), 1);
      if (chdir(folder_.c_str()) != 0 || freopen(out.c_str(), "w", stdout) == nullptr ||
          freopen(err.c_str(), "w", stderr) == nullptr) {
        _exit(95);
      }
      if (resource >= 0) {
        const rlimit limits = {limit, limit};
        setrlimit(static_cast<__rlimit_resource>(resource), &limits);
      }
      Execute(program, absl::StrSplit(wish, ' '));
      _exit(96);
    }
    int status = 0;
    waitpid(child, &status, 0);
    out_ = Slurp(out);
    err_ = Slurp(err);
    return status;
  }

  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  profile::Recording OnlyRecording() const {
    for (const std::string& name : Files()) {
      if (name.size() < 9 || name.substr(name.size() - 9) != ".gprofhub") continue;
      const auto recording = profile::ReadRecording(Slurp(folder_ / name), name);
      EXPECT_TRUE(recording.ok()) << recording.status();
      if (recording.ok()) return *recording;
    }
    ADD_FAILURE() << "no recording";
    return {};
  }

  uint64_t RecordedCalls() const {
    const profile::Recording recording = OnlyRecording();
    const profile::RecordedModule* program = profile::FindModule(recording, "");
    return program == nullptr ? 0 : Calls(program->profile);
  }

  static uint64_t Loss(const profile::Recording& recording, const std::string& of) {
    for (const auto& [name, lost] : recording.losses) {
      if (name == of) return lost;
    }
    ADD_FAILURE() << "no loss is called " << of;
    return 0;
  }

  long ErrLines() const { return std::count(err_.begin(), err_.end(), '\n'); }

  const fs::path folder_;
  const std::string program_;
  std::map<std::string, std::string> environment_;
  std::string out_;
  std::string err_;
};

}  // namespace gprofhub::tests

#endif
