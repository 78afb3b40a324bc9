// Counts of lines, as --config=gprof_lines has them, compared with the annotations of the program's
// source: in threads, through exceptions, longjmp, signal handlers and fork, optimised and not, for
// every way to end the program.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "profile/recording/reader.h"

namespace gprofhub::tests {
namespace {

namespace fs = std::filesystem;
using LineCounts = std::map<int, uint64_t>;

constexpr char kSource[] = "tests/runtime/lines_program.cc";

std::string FileContents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// The counts that comments announce, by line.
LineCounts Announced(const std::string& mark) {
  LineCounts counts;
  std::ifstream in(kSource);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const size_t at = line.find(mark);
    if (at != std::string::npos)
      counts[number] = std::strtoull(&line[at + mark.size()], nullptr, 10);
  }
  return counts;
}

int LineWith(const std::string& text) {
  std::ifstream in(kSource);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find(text) != std::string::npos) return number;
  }
  return 0;
}

// A line's machine code may be in several places: their counts add up.
LineCounts CountsByLine(const std::string& program, const fs::path& recording) {
  const absl::StatusOr<profile::Recording> read =
      profile::ReadRecording(FileContents(recording), recording.string());
  EXPECT_TRUE(read.ok()) << read.status();
  if (!read.ok()) return {};
  const profile::RecordedModule* module = profile::FindModule(*read, "");
  if (module == nullptr) return {};
  const fs::path addresses = recording.string() + ".addresses";
  std::ofstream list(addresses);
  for (const profile::BasicBlock& block : module->profile.blocks)
    list << std::hex << block.pc << "\n";
  list.close();
  const std::string command = "addr2line -e " + program + " < " + addresses.string();
  std::FILE* lines = popen(command.c_str(), "r");
  LineCounts counts;
  char text[4096];
  for (const profile::BasicBlock& block : module->profile.blocks) {
    if (std::fgets(text, sizeof text, lines) == nullptr) break;
    const std::string place(text);
    if (place.find("lines_program.cc:") == std::string::npos) continue;
    counts[std::atoi(&place[place.rfind(':') + 1])] += block.count;
  }
  pclose(lines);
  return counts;
}

// The recordings of one run: the program's, then its child's.
std::vector<fs::path> RunProgram(const std::string& program, const std::string& ending) {
  const fs::path folder =
      fs::path(std::getenv("TEST_TMPDIR")) / (fs::path(program).filename().string() + "." + ending);
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string command = "GPROFHUB_PROFILE_DIR=" + folder.string() + " GPROFHUB_GMON=0 " +
                              program + " " + ending + " 2>/dev/null";
  // The shell's child may be killed: its status is not checked.
  [[maybe_unused]] const int status = std::system(command.c_str());
  std::vector<fs::path> recordings;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".gprofhub") continue;
    const absl::StatusOr<profile::Recording> read =
        profile::ReadRecording(FileContents(entry.path()), entry.path().string());
    EXPECT_TRUE(read.ok()) << read.status();
    const bool parent = read.ok() && read->threads > 1;
    recordings.insert(parent ? recordings.begin() : recordings.end(), entry.path());
  }
  return recordings;
}

class LinesTest : public testing::TestWithParam<const char*> {
 protected:
  std::string program() const { return std::string("tests/runtime/lines_") + GetParam(); }

  void ExpectAnnounced(LineCounts counts, const std::string& mark) {
    const LineCounts announced = Announced(mark);
    ASSERT_FALSE(announced.empty());
    for (const auto& [line, count] : announced) {
      EXPECT_EQ(counts[line], count) << kSource << ":" << line;
    }
  }
};

TEST_P(LinesTest, EachLineHasItsCountWhateverTheEnd) {
  for (const char* ending : {"exit", "_exit", "abort", "kill"}) {
    SCOPED_TRACE(ending);
    const std::vector<fs::path> recordings = RunProgram(program(), ending);
    ASSERT_EQ(recordings.size(), 2u);
    ExpectAnnounced(CountsByLine(program(), recordings[0]), "// = ");
  }
}

TEST_P(LinesTest, AForkedChildCountsForItselfAlone) {
  const std::vector<fs::path> recordings = RunProgram(program(), "exit");
  ASSERT_EQ(recordings.size(), 2u);
  LineCounts child = CountsByLine(program(), recordings[1]);
  ExpectAnnounced(child, "// child = ");
  for (const auto& [line, count] : Announced("// = ")) {
    EXPECT_EQ(child[line], 0u) << kSource << ":" << line;
  }
  LineCounts parent = CountsByLine(program(), recordings[0]);
  for (const auto& [line, count] : Announced("// child = ")) EXPECT_EQ(parent[line], 0u);
}

TEST_P(LinesTest, KilledAmidCountsNoThreadIsOffByMoreThanTheRoundItIsIn) {
  const std::vector<fs::path> recordings = RunProgram(program(), "spin");
  ASSERT_EQ(recordings.size(), 2u);
  LineCounts counts = CountsByLine(program(), recordings[0]);
  const uint64_t first = counts[LineWith("// first")], last = counts[LineWith("// last")];
  EXPECT_GE(first + 8, uint64_t{100000});
  EXPECT_LE(first > last ? first - last : last - first, uint64_t{8});
}

INSTANTIATE_TEST_SUITE_P(Builds, LinesTest,
                         testing::Values("gcc_O0", "gcc_O2", "gcc_O3", "gcc_no_pie", "gcc_static",
                                         "gcc_lld", "clang_O0", "clang_O2"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gprofhub::tests
