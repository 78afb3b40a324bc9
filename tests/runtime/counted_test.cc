// Counters in the text count exactly: the program's calls follow from its
// arguments.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profile/gmon/reader.h"
#include "tests/runtime/recorded_calls.h"

namespace gprofhub::tests {
namespace {

namespace fs = std::filesystem;

class CountedTest : public testing::TestWithParam<const char*> {
 protected:
  std::string Image() const {
    return fs::absolute(std::string("tests/runtime/counted_") + GetParam()).string();
  }

  Calls RunProgram(int threads, int rounds, const std::string& end) {
    folder_ = fs::path(testing::TempDir()) /
              (std::string(GetParam()) + "." + std::to_string(threads) + "." + end);
    const int status =
        RunIn(folder_, {Image(), std::to_string(threads), std::to_string(rounds), end});
    EXPECT_TRUE(end == "kill" ? WIFSIGNALED(status) : WIFEXITED(status) && !WEXITSTATUS(status))
        << status;
    return CallsRecorded(folder_, Image());
  }

  Calls GmonCalls() const {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().filename().string().find(".gmon.") == std::string::npos) continue;
      const absl::StatusOr<profile::RawProfile> profile =
          profile::ReadGmon(Slurp(entry.path()), entry.path().string());
      EXPECT_TRUE(profile.ok()) << profile.status();
      return CallsIn(*profile, Image());
    }
    ADD_FAILURE() << "no gmon file in " << folder_;
    return {};
  }

  fs::path folder_;
};

// Calls in `n` rounds. Tail calls are the same function's calls in both builds; the test of
// programs both ways checks their callers.
void ExpectCalls(const Calls& calls, uint64_t n) {
  const std::map<std::string, uint64_t> expected = {
      // By pointer twice, after 10 of 30 exceptions.
      {"counted_leaf", 30 * n},         {"counted_fibonacci", 177 * n},
      {"counted_tail", 50 * n},         {"counted_tail_target", 65 * n},
      {"counted_conditional", 30 * n},  {"counted_virtual", 30 * n},
      {"counted_sides_3", 26 * n},      {"counted_sides_4", 6 * n},
      {"counted_sides_7", 6 * n},       {"counted_by_pointer", 30 * n},
      {"counted_tail_pointer", 30 * n}, {"counted_catch", 30 * n},
      {"counted_throw", 30 * n},        {"counted_arguments", n},
  };
  for (const auto& [function, count] : expected) {
    const auto found = calls.of.find(function);
    EXPECT_EQ(found == calls.of.end() ? 0 : found->second, count) << function;
  }
}

void ExpectArcs(const Calls& calls, uint64_t n) {
  const std::map<std::pair<std::string, std::string>, uint64_t> expected = {
      {{"counted_fibonacci", "counted_fibonacci"}, 176 * n},
      // Through a pointer, each of the three callees the same number of times.
      {{"counted_by_pointer", "counted_leaf"}, 10 * n},
      {{"counted_by_pointer", "counted_tail"}, 10 * n},
      {{"counted_by_pointer", "counted_sides_3"}, 10 * n},
      {{"counted_catch", "counted_throw"}, 30 * n},
      {{"counted_catch", "counted_leaf"}, 10 * n},
      // Called by libc.
      {{"", "counted_compare"}, n},
  };
  for (const auto& [arc, count] : expected) {
    const auto found = calls.between.find(arc);
    EXPECT_EQ(found == calls.between.end() ? 0 : found->second, count)
        << arc.first << " -> " << arc.second;
  }
  for (const auto& [arc, count] : calls.between) {
    EXPECT_TRUE(arc.first != "" || arc.second == "counted_compare" ||
                arc.second.find("counted_") == std::string::npos)
        << "unknown caller of " << arc.second << ": " << count;
  }
}

TEST_P(CountedTest, OneThreadExactly) {
  const Calls calls = RunProgram(1, 100, "exit");
  ExpectCalls(calls, 100);
  ExpectArcs(calls, 100);
}

TEST_P(CountedTest, GmonFileHoldsTheSameCalls) {
  const Calls calls = RunProgram(2, 10, "exit");
  const Calls gmon = GmonCalls();
  EXPECT_EQ(gmon.of, calls.of);
  EXPECT_EQ(gmon.between, calls.between);
}

TEST_P(CountedTest, EightThreadsExactly) {
  const Calls calls = RunProgram(8, 100, "exit");
  ExpectCalls(calls, 800);
  ExpectArcs(calls, 800);
}

TEST_P(CountedTest, SixtyFourThreadsExactly) {
  const Calls calls = RunProgram(64, 20, "exit");
  ExpectCalls(calls, 64 * 20);
  ExpectArcs(calls, 64 * 20);
}

TEST_P(CountedTest, AfterKill) { ExpectCalls(RunProgram(3, 100, "kill"), 300); }

TEST_P(CountedTest, AfterUnderscoreExit) { ExpectCalls(RunProgram(3, 100, "_exit"), 300); }

// Off, on, and off again when it ends: 1 thread before, 2 while on.
TEST_P(CountedTest, NothingWhileSwitchedOff) {
  const Calls calls = RunProgram(1, 50, "moncontrol");
  ExpectCalls(calls, 150);
  const Calls gmon = GmonCalls();
  EXPECT_EQ(gmon.of, calls.of);
}

// It meets all of its callees while it is off, and they are counted once it is on.
TEST_P(CountedTest, BegunSwitchedOff) {
  setenv("GPROFHUB_START", "paused", 1);
  const Calls calls = RunProgram(1, 60, "moncontrol");
  unsetenv("GPROFHUB_START");
  ExpectCalls(calls, 120);
  ExpectArcs(calls, 120);
}

TEST_P(CountedTest, MonstartupLeavesOutWhatIsOutside) {
  const Calls calls = RunProgram(2, 30, "monstartup");
  const std::map<std::string, uint64_t> expected = {{"counted_inside", 31}};
  EXPECT_EQ(calls.of, expected);
  EXPECT_EQ(GmonCalls().of, expected);
}

INSTANTIATE_TEST_SUITE_P(Forms, CountedTest,
                         testing::Values("gcc_O0", "gcc_O2", "gcc_pic", "gcc_no_pie", "gcc_static",
                                         "gcc_cet", "gcc_sections", "gcc_lld", "gcc_bfd", "gcc_lto",
                                         "clang_O0", "clang_O2", "clang_static_pie", "clang_lld"),
                         [](const auto& info) { return std::string(info.param); });

class NotifiedTest : public testing::TestWithParam<const char*> {};

// The program prints how many calls there were.
TEST_P(NotifiedTest, ThreadsOfLibcCountForThemselves) {
  const std::string image =
      fs::absolute(std::string("tests/runtime/notified_") + GetParam()).string();
  const fs::path folder = fs::path(testing::TempDir()) / fs::path(image).filename();
  const fs::path truth = fs::path(testing::TempDir()) / (std::string(GetParam()) + ".truth");
  ASSERT_EQ(RunIn(folder, {image, truth}), 0);
  EXPECT_EQ(CallsRecorded(folder, image).of["notified_leaf"], std::stoull(Slurp(truth)));
}

INSTANTIATE_TEST_SUITE_P(Forms, NotifiedTest, testing::Values("gcc", "lld", "mcount", "static"),
                         [](const auto& info) { return std::string(info.param); });

// By function: the two builds' addresses differ.
class BothWaysTest
    : public testing::TestWithParam<std::pair<const char*, std::vector<std::string>>> {};

TEST_P(BothWaysTest, CountsTheCallsThatMcountCounts) {
  Calls calls[2];
  int i = 0;
  const auto& [name, arguments] = GetParam();
  for (const std::string way : {"counted", "mcount"}) {
    const std::string image =
        fs::absolute("tests/runtime/both_" + std::string(name) + "_" + way).string();
    const fs::path folder = fs::path(testing::TempDir()) / fs::path(image).filename();
    std::vector<std::string> command = {image};
    command.insert(command.end(), arguments.begin(), arguments.end());
    ASSERT_EQ(RunIn(folder, command), 0);
    calls[i++] = CallsRecorded(folder, image);
  }
  EXPECT_GT(calls[0].between.size(), 1);
  EXPECT_EQ(calls[0].of, calls[1].of);
  EXPECT_EQ(calls[0].between, calls[1].between);
}

const std::vector<std::string> kTwoThreads = {"2", "10", "exit"};

INSTANTIATE_TEST_SUITE_P(Programs, BothWaysTest,
                         testing::Values(std::pair("calls_gcc_O0", kTwoThreads),
                                         std::pair("calls_gcc_O2", kTwoThreads),
                                         std::pair("calls_gcc_O3", kTwoThreads),
                                         std::pair("calls_clang_O1", kTwoThreads),
                                         std::pair("calls_clang_O2", kTwoThreads),
                                         std::pair("callees_gcc_O0", std::vector<std::string>{}),
                                         std::pair("callees_gcc_O2", std::vector<std::string>{}),
                                         std::pair("callees_gcc_O3", std::vector<std::string>{}),
                                         std::pair("callees_clang_O2", std::vector<std::string>{}),
                                         std::pair("callees_clang_lld", std::vector<std::string>{}),
                                         std::pair("containers_gcc", std::vector<std::string>{}),
                                         std::pair("containers_clang", std::vector<std::string>{}),
                                         std::pair("parser", std::vector<std::string>{})),
                         [](const auto& info) { return std::string(info.param.first); });

}  // namespace
}  // namespace gprofhub::tests
