// Runs the stress program under many seeds and compares what its processes
// recorded with their own accounts, process by process and function by function.
// By hand, longer: STRESS_SEEDS=2000 bazel run //tests/runtime:stress_test.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "profile/elf/read_image.h"
#include "profile/recording/reader.h"
#include "tests/runtime/programs_under_test.h"
#include "tests/runtime/truth.h"

namespace gprofhub::tests {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFunctions[TRUTH_FUNCTIONS] = {"truth_leaf", "truth_handler", "truth_compare",
                                                     "truth_plugin"};

// Counts by (pid, function).
using Counts = std::map<std::pair<uint64_t, int>, uint64_t>;

class Truth {
 public:
  explicit Truth(const std::string& path) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    EXPECT_EQ(ftruncate(file, sizeof(truth)), 0);
    truth_ = static_cast<truth*>(
        mmap(nullptr, sizeof(truth), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    close(file);
  }
  ~Truth() { munmap(truth_, sizeof(truth)); }

  Counts Before() const { return Sum(&truth_slot::before); }
  Counts After() const { return Sum(&truth_slot::after); }

 private:
  Counts Sum(uint64_t (truth_slot::*counts)[TRUTH_FUNCTIONS]) const {
    Counts sum;
    for (uint64_t i = 0; i < truth_->used; ++i) {
      for (int f = 0; f < TRUTH_FUNCTIONS; ++f) {
        const uint64_t count = (truth_->slots[i].*counts)[f];
        if (count > 0) sum[{truth_->slots[i].pid, f}] += count;
      }
    }
    return sum;
  }
  truth* truth_;
};

struct Range {
  uint64_t low = 0;
  uint64_t high = 0;
};

// Addresses of the counted functions, as linked.
std::map<int, Range> RangesIn(const std::string& image) {
  std::map<int, Range> ranges;
  const absl::StatusOr<profile::SymbolTable> symbols = profile::ReadElfSymbols(image);
  EXPECT_TRUE(symbols.ok()) << symbols.status();
  for (const profile::FunctionSymbol& symbol : symbols->functions) {
    for (int f = 0; f < TRUTH_FUNCTIONS; ++f) {
      if (symbol.name == kFunctions[f]) {
        ranges[f] = {symbol.address, symbol.address + symbol.size};
      }
    }
  }
  return ranges;
}

// Sum of the recordings in `folder`.
Counts Recorded(const fs::path& folder, const std::string& program, const std::string& plugin) {
  Counts counts;
  const std::map<int, Range> in_program = RangesIn(program);
  const std::map<int, Range> in_plugin = RangesIn(plugin);
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".gprofhub") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    const absl::StatusOr<profile::Recording> recording =
        profile::ReadRecording(bytes.str(), entry.path().string());
    EXPECT_TRUE(recording.ok()) << recording.status();
    if (!recording.ok()) continue;
    EXPECT_EQ(recording->unattributed_calls, 0) << entry.path();
    for (const auto& [name, lost] : recording->losses) {
      EXPECT_EQ(lost, 0) << entry.path() << ": " << name;
    }
    for (const profile::RecordedModule& module : recording->modules) {
      const bool is_plugin = module.path.find("plugin.so") != std::string::npos;
      for (const auto& [function, range] : is_plugin ? in_plugin : in_program) {
        if (!is_plugin && !module.is_program) continue;
        for (const profile::RawArc& arc : module.profile.arcs) {
          if (arc.self_pc >= range.low && arc.self_pc < range.high) {
            counts[{recording->pid, function}] += arc.count;
          }
        }
      }
    }
  }
  return counts;
}

void RunProgram(const std::string& program, unsigned seed, const fs::path& folder,
                const std::string& truth, const std::string& plugin, const std::string& preload) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("TRUTH_FILE", truth.c_str(), 1);
    setenv("GPROFHUB_PROFILE_DIR", folder.c_str(), 1);
    setenv("GPROFHUB_SAMPLE_RATE", "1000", 1);
    if (!preload.empty()) setenv("LD_PRELOAD", preload.c_str(), 1);
    std::vector<std::string> arguments = {std::to_string(seed), "2", "2000"};
    if (!plugin.empty()) arguments.push_back(plugin);
    Execute(program, arguments);
    _exit(96);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) {
    EXPECT_EQ(WEXITSTATUS(status), 0) << "seed " << seed;
  }
}

void CompareAll(const std::string& program, const std::string& plugin, const std::string& preload) {
  const char* wanted = std::getenv("STRESS_SEEDS");
  const unsigned seeds = wanted ? static_cast<unsigned>(std::atoi(wanted)) : 40;
  const std::string plugin_image = plugin.empty() ? ProgramPath("libstress_plugin.so") : plugin;
  for (unsigned seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    const fs::path folder = fs::path(testing::TempDir()) /
                            (fs::path(program).filename().string() + "." + std::to_string(seed));
    fs::create_directories(folder);
    Truth truth(folder / "truth");
    RunProgram(program, seed, folder, folder / "truth", plugin, preload);
    const Counts recorded = Recorded(folder, program, plugin_image);
    // Every call was completed: the ways to end come between calls.
    EXPECT_EQ(truth.Before(), truth.After());
    EXPECT_EQ(recorded, truth.Before()) << "seed " << seed << " of " << program;
    fs::remove_all(folder);
  }
}

TEST(RuntimeStressTest, LinkedDynamically) {
  CompareAll(ProgramPath("stress_dynamic"), ProgramPath("libstress_plugin.so"), "");
}

TEST(RuntimeStressTest, LinkedStatically) { CompareAll(ProgramPath("stress_static"), "", ""); }

#ifdef GPROFHUB_AARCH64
TEST(RuntimeStressTest, CompiledByClang) {
  CompareAll(ProgramPath("stress_clang"), ProgramPath("libstress_plugin.so"), "");
}

// Some kernels have pages of 64 KiB. qemu can have them, too.
TEST(RuntimeStressTest, OnLargePages) {
  setenv("QEMU_PAGESIZE", "65536", 1);
  CompareAll(ProgramPath("stress_dynamic"), ProgramPath("libstress_plugin.so"), "");
  unsetenv("QEMU_PAGESIZE");
}

TEST(RuntimeStressTest, WithSignedReturnAddresses) {
  CompareAll(ProgramPath("stress_signed"), ProgramPath("libstress_plugin.so"), "");
}
#else
// On x86-64 only.
TEST(RuntimeStressTest, LinkedDynamicallyWithFentry) {
  CompareAll(ProgramPath("stress_fentry"), ProgramPath("libstress_plugin.so"), "");
}

// With counters in the text, also of a plugin.
class CountedStressTest : public testing::TestWithParam<const char*> {};

TEST_P(CountedStressTest, CountsExactly) {
  const std::string form = GetParam();
  const bool has_plugin = form == "O0" || form == "O2" || form == "clang" || form == "no_pie";
  CompareAll(ProgramPath("stress_counted_" + form),
             has_plugin ? ProgramPath("libstress_counted_plugin.so") : std::string(), "");
}

INSTANTIATE_TEST_SUITE_P(Forms, CountedStressTest,
                         testing::Values("O0", "O2", "clang", "no_pie", "static", "static_pie"));
#endif

TEST(RuntimeStressTest, Preloaded) {
  CompareAll(ProgramPath("stress_unlinked"), ProgramPath("libstress_plugin.so"),
             kEmulated ? ProgramPath("libgprofhub_preload.so")
                       : fs::absolute("runtime/libgprofhub_preload.so").string());
}

}  // namespace
}  // namespace gprofhub::tests
