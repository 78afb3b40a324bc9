// Memory in use at the peak, by the function that requested it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profile/format/recording.h"
#include "profile/recording/reader.h"
#include "tests/runtime/programs_under_test.h"
#include "tests/runtime/recorded_calls.h"
#include "tests/runtime/slurp.h"

namespace gprofhub::tests {
namespace {

constexpr char kPeak[] = "gprofhub_peak_bytes";

using Bytes = std::map<std::string, uint64_t>;  // by function

std::string Image(const std::string& name) { return ProgramPath("peak_" + name); }

std::filesystem::path FolderOf(const std::string& name, const std::string& what) {
  return std::filesystem::path(testing::TempDir()) / (name + "_" + what);
}

int RunProgram(const std::string& name, const std::string& what) {
  std::vector<std::string> command = CommandOf(Image(name));
  command.push_back(what);
  return RunIn(FolderOf(name, what), command);
}

bool Succeeded(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

// Without the memory of the C++ library.
Bytes AtPeak(const Calls& calls) {
  Bytes bytes;
  for (const auto& [arc, count] : calls.between) {
    if (arc.second == kPeak && !arc.first.empty()) bytes[arc.first] += count;
  }
  return bytes;
}

Bytes PeakOf(const std::string& name, const std::string& what) {
  EXPECT_TRUE(Succeeded(RunProgram(name, what)));
  return AtPeak(CallsRecorded(FolderOf(name, what), Image(name)));
}

class PeakTest : public testing::TestWithParam<const char*> {};

const Bytes kAll = {
    {"keeps_by_malloc", 7 * 1001},       {"keeps_by_realloc", 77},
    {"keeps_by_calloc", 3500},           {"keeps_by_alignment", 512 + 17 + 19 + 40 + 23},
    {"keeps_by_new", 4 + 29 + 31 + 128}, {"makes_the_peak", 1'000'000},
};

TEST_P(PeakTest, IsOfWhoeverAskedForWhatIsInUse) { EXPECT_EQ(PeakOf(GetParam(), "all"), kAll); }

TEST_P(PeakTest, StandsBesideTheCounts) {
  ASSERT_TRUE(Succeeded(RunProgram(GetParam(), "all")));
  const Calls calls = CallsRecorded(FolderOf(GetParam(), "all"), Image(GetParam()));
  EXPECT_EQ(calls.between.at({"keeps_by_malloc", "malloc"}), 7);
  EXPECT_EQ(calls.between.at({"begins_and_ends", "gprofhub_allocated_bytes"}), 2 * 900'000);
  EXPECT_EQ(calls.between.at({"keeps_by_realloc", "reallocarray"}), 1);
  EXPECT_FALSE(calls.between.contains({"fails", "malloc"}));
  EXPECT_EQ(calls.between.at({"all_of_them", "keeps_by_malloc"}), 1);
}

TEST_P(PeakTest, IsTheSameEachTime) {
  ASSERT_TRUE(Succeeded(RunProgram(GetParam(), "all")));
  const Calls first = CallsRecorded(FolderOf(GetParam(), "all"), Image(GetParam()));
  ASSERT_TRUE(Succeeded(RunProgram(GetParam(), "all")));
  const Calls second = CallsRecorded(FolderOf(GetParam(), "all"), Image(GetParam()));
  EXPECT_EQ(first.of.at(kPeak), second.of.at(kPeak));
  EXPECT_EQ(first.between, second.between);
}

TEST_P(PeakTest, KnowsWhatAnotherThreadGaveBack) {
  const Bytes expected = {{"keeps_in_a_thread", 36'000}, {"makes_the_peak", 1'000'000}};
  Bytes bytes = PeakOf(GetParam(), "threads");
  // Memory of std::thread itself, in functions of its own.
  std::erase_if(bytes, [&](const auto& entry) { return !expected.contains(entry.first); });
  EXPECT_EQ(bytes, expected);
}

// For every order, the functions' bytes add up to the peak, and nothing is left over.
TEST_P(PeakTest, OfManyThreadsAddsUp) {
  ASSERT_TRUE(Succeeded(RunProgram(GetParam(), "stress")));
  const std::filesystem::path folder = FolderOf(GetParam(), "stress");
  const Calls calls = CallsRecorded(folder, Image(GetParam()));
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".gprofhub") continue;
    const std::string bytes = Slurp(entry.path());
    gprofhub_recording header;
    ASSERT_GE(bytes.size(), sizeof header);
    memcpy(&header, bytes.data(), sizeof header);
    EXPECT_EQ(calls.of.at(kPeak), header.most_in_use);
    EXPECT_LE(header.in_use, header.most_in_use);
  }
  EXPECT_GT(calls.between.at({"comes_and_goes", kPeak}), 0);
}

TEST_P(PeakTest, OfAForkIsItsOwn) {
  ASSERT_TRUE(Succeeded(RunProgram(GetParam(), "forks")));
  std::vector<Bytes> all;
  for (const auto& entry : std::filesystem::directory_iterator(FolderOf(GetParam(), "forks"))) {
    if (entry.path().extension() != ".gprofhub") continue;
    const auto recording = profile::ReadRecording(Slurp(entry.path()), entry.path().string());
    ASSERT_TRUE(recording.ok()) << recording.status();
    all.push_back(AtPeak(CallsIn(profile::FindModule(*recording, "")->profile, Image(GetParam()))));
  }
  ASSERT_EQ(all.size(), 2);
  if (all[0].contains("keeps_by_calloc")) std::swap(all[0], all[1]);
  EXPECT_EQ(all[0], (Bytes{{"keeps_by_malloc", 7 * 1001}, {"makes_the_peak", 1'000'000}}));
  EXPECT_EQ(all[1], (Bytes{{"keeps_by_calloc", 3500}}));
}

TEST_P(PeakTest, IsThereAfterAKill) {
  const int status = RunProgram(GetParam(), "killed");
  ASSERT_TRUE((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) ||
              (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGKILL))
      << status;
  EXPECT_EQ(AtPeak(CallsRecorded(FolderOf(GetParam(), "killed"), Image(GetParam()))),
            (Bytes{{"keeps_by_malloc", 7 * 1001}, {"keeps_by_calloc", 3500}}));
}

TEST_P(PeakTest, BeginsAnewWithWhatIsInUse) {
  EXPECT_EQ(PeakOf(GetParam(), "reset"),
            (Bytes{{"keeps_by_malloc", 7 * 1001}, {"keeps_by_calloc", 3500}}));
}

TEST_P(PeakTest, LeavesOutWhatIsAskedForWhileNothingIsCounted) {
  // A block that grows to 200,000 bytes.
  EXPECT_EQ(PeakOf(GetParam(), "pauses"), (Bytes{{"keeps_by_realloc", 200'000}}));
}

INSTANTIATE_TEST_SUITE_P(Optimised, PeakTest, testing::Values("O0", "O2"));

}  // namespace
}  // namespace gprofhub::tests
