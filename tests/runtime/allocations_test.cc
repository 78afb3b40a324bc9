// Allocations and quantities are counted exactly, for the requesting function.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profile/image/read_image.h"
#include "profile/recording/reader.h"
#include "tests/runtime/programs_under_test.h"
#include "tests/runtime/recorded_calls.h"

namespace gprofhub::tests {
namespace {

constexpr char kBytes[] = "gprofhub_allocated_bytes";

std::string Image(const std::string& name) { return ProgramPath("allocations_" + name); }

std::vector<std::string> With(std::vector<std::string> command,
                              const std::vector<std::string>& arguments) {
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

class AllocationsTest : public testing::TestWithParam<const char*> {};

TEST_P(AllocationsTest, AreCountedByCallerInAllThreads) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / (std::string("threads_") + GetParam());
  const std::string image = Image(GetParam());
  const int status = RunIn(folder, With(CommandOf(image), {"8", "1000"}));
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  const Calls calls = CallsRecorded(folder, image);

  constexpr uint64_t kTimes = 8 * 1000;
  const std::map<std::pair<std::string, std::string>, uint64_t> expected = {
      {{"by_malloc", "malloc"}, kTimes},
      {{"by_malloc", kBytes}, 3 * kTimes},
      {{"by_calloc", "calloc"}, kTimes},
      {{"by_calloc", kBytes}, 35 * kTimes},
      {{"by_realloc", "realloc"}, kTimes},
      {{"by_realloc", "reallocarray"}, kTimes},
      {{"by_realloc", kBytes}, (11 + 13'000) * kTimes},
      {{"by_alignment", "aligned_alloc"}, kTimes},
      {{"by_alignment", "memalign"}, kTimes},
      {{"by_alignment", "valloc"}, kTimes},
      {{"by_alignment", "posix_memalign"}, kTimes},
      {{"by_alignment", kBytes}, (512 + 17 + 19 + 23) * kTimes},
      {{"by_new", "_Znwm"}, kTimes},
      {{"by_new", "_Znam"}, kTimes},
      {{"by_new", "_ZnamRKSt9nothrow_t"}, kTimes},
      {{"by_new", "_ZnwmSt11align_val_t"}, kTimes},
      {{"by_new", kBytes}, (4 + 29 + 31 + 128) * kTimes},
      {{"by_failure", "malloc"}, 0},
      {{"by_failure", "_Znwm"}, 0},
      {{"by_failure", kBytes}, 0},
      {{"by_handler", kBytes}, 0},
      {{"by_quantity", "rows_read"}, 8 * (999 * 1000 / 2)},
      {{"by_last_act", "rows_read"}, kTimes},
  };
  for (const auto& [arc, count] : expected) {
    const auto found = calls.between.find(arc);
    EXPECT_EQ(found == calls.between.end() ? 0 : found->second, count)
        << arc.first << " -> " << arc.second;
  }
  // Calls are counted in addition, as without allocations.
  EXPECT_EQ(calls.between.at({"all_of_them", "by_malloc"}), 8);
}

INSTANTIATE_TEST_SUITE_P(Optimised, AllocationsTest, testing::Values("O0", "O2"));

// Allocations of the C library in a function's name count for the C library.
TEST(AllocationsOfLibraries, AreTheirs) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "library";
  const int status = RunIn(folder, With(CommandOf(Image("c")), {"0"}));
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  const Calls calls = CallsRecorded(folder, Image("c"));
  EXPECT_GE(calls.between.at({"", "malloc"}), 1);
  EXPECT_GE(calls.between.at({"", kBytes}), sizeof("seven!!"));
  EXPECT_FALSE(calls.between.contains({"copies_a_string", "malloc"}));
}

// With library calls counted, too, an allocation is one call; the runtime's own replacement calls
// are not counted again.
TEST(AllocationsBesideLibraryCalls, AreCountedOnce) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "both";
  setenv("GPROFHUB_LIBRARY_CALLS", "1", 1);
  const int status = RunIn(folder, With(CommandOf(Image("O2")), {"1", "1000"}));
  unsetenv("GPROFHUB_LIBRARY_CALLS");
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(CallsRecorded(folder, Image("O2")).between.at({"by_malloc", "malloc"}), 1000);

  const absl::StatusOr<profile::SymbolTable> symbols = profile::ReadElfSymbols(Image("O2"));
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  uint64_t frees = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".gprofhub") continue;
    const auto recording = profile::ReadRecording(Slurp(entry.path()), entry.path().string());
    ASSERT_TRUE(recording.ok()) << recording.status();
    for (const profile::CrossArc& arc : recording->cross_arcs) {
      if (!recording->modules[arc.from_module].is_program) continue;
      // Behind a call that does not return the next function begins.
      const std::string caller = FunctionAt(*symbols, arc.from_pc - 1);
      EXPECT_NE(caller, "malloc");
      EXPECT_NE(caller, "gh_take");
      frees += caller == "by_malloc" ? arc.count : 0;
    }
  }
  EXPECT_EQ(frees, 1000);
}

TEST(AllocationsOfForks, AreRecordedByEach) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "forks";
  const int status = RunIn(folder, With(CommandOf(Image("c")), {"3"}));
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  int recordings = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".gprofhub") continue;
    ++recordings;
    const auto recording = profile::ReadRecording(Slurp(entry.path()), entry.path().string());
    ASSERT_TRUE(recording.ok()) << recording.status();
    const Calls calls = CallsIn(profile::FindModule(*recording, "")->profile, Image("c"));
    EXPECT_GE(calls.between.at({"", "malloc"}), 1) << entry.path();
  }
  EXPECT_EQ(recordings, 4);
}

}  // namespace
}  // namespace gprofhub::tests
