// Counts are exact where a program's surroundings are unusual: plug-ins that come and go, thousands
// of threads, sanitizers, text in other memory, the dynamic linker as the executable.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "profile/elf/read_image.h"
#include "profile/gmon/reader.h"
#include "profile/recording/reader.h"
#include "tests/runtime/recorded_calls.h"

namespace gprofhub::tests {
namespace {

namespace fs = std::filesystem;

constexpr char kLeaf[] = "environment_leaf";
constexpr char kPluginLeaf[] = "plugin_leaf";
constexpr uint64_t kOwnCalls = 1000;

std::string Built(const std::string& name) {
  return fs::absolute("tests/runtime/environments/" + name).string();
}

std::string BuildIdOf(const std::string& image) {
  const absl::StatusOr<std::string> id = profile::ReadElfBuildId(image);
  EXPECT_TRUE(id.ok()) << id.status();
  return id.ok() ? *id : "";
}

class EnvironmentTest : public testing::TestWithParam<const char*> {
 protected:
  EnvironmentTest() {
    const testing::TestInfo& info = *testing::UnitTest::GetInstance()->current_test_info();
    std::string name = info.name();
    for (char& c : name) c = c == '/' ? '.' : c;
    folder_ = fs::path(testing::TempDir()) / name;
  }

  std::string Plugin(const std::string& name) const {
    return Built(std::string("lib") + (Way() == "mcount" ? "mcount_" : "counted_") + name + ".so");
  }
  std::string Program() const { return Built("program_" + Way()); }
  static std::string Way() { return GetParam(); }

  void Run(const std::vector<std::string>& command) {
    const int status = RunIn(folder_, command, "1");
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }

  fs::path RecordingFile() const {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() == ".gprofhub") return entry.path();
    }
    ADD_FAILURE() << "no recording";
    return {};
  }

  // Of its function, in the module with this image's build-id or, if it has none, name.
  uint64_t RecordedCalls(const std::string& image, const std::string& function) const {
    const fs::path file = RecordingFile();
    const absl::StatusOr<profile::Recording> recording =
        profile::ReadRecording(Slurp(file), file.string());
    EXPECT_TRUE(recording.ok()) << recording.status();
    if (!recording.ok()) return 0;
    EXPECT_EQ(recording->unattributed_calls, 0);
    for (const auto& [name, lost] : recording->losses) EXPECT_EQ(lost, 0) << name;
    const std::string id = BuildIdOf(image);
    uint64_t calls = 0;
    for (const profile::RecordedModule& module : recording->modules) {
      EXPECT_NE(module.path, "[anon]");
      if (id.empty() ? fs::path(module.path).filename() == fs::path(image).filename()
                     : module.build_id == id) {
        calls += CallsIn(module.profile, image).of[function];
      }
    }
    return calls;
  }

  // The same, in the gmon files whose names contain the build-id, or "unknown".
  uint64_t GmonCalls(const std::string& image, const std::string& function) const {
    const std::string id = BuildIdOf(image);
    uint64_t calls = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name.find("." + (id.empty() ? "unknown" : id) + ".gmon.") == std::string::npos) continue;
      const absl::StatusOr<profile::RawProfile> profile =
          profile::ReadGmon(Slurp(entry.path()), name);
      EXPECT_TRUE(profile.ok()) << profile.status();
      if (profile.ok()) calls += CallsIn(*profile, image).of[function];
    }
    return calls;
  }

  void ExpectCalls(const std::string& image, const std::string& function, uint64_t calls) const {
    EXPECT_EQ(RecordedCalls(image, function), calls) << image;
    EXPECT_EQ(GmonCalls(image, function), calls) << image;
  }

  fs::path folder_;
};

using PluginTest = EnvironmentTest;

TEST_P(PluginTest, LoadedAThousandTimesIsOneModule) {
  for (const char* name : {"a", "aligned", "unidentified"}) {
    Run({Program(), "plugins", "1000", Plugin(name)});
    ExpectCalls(Plugin(name), kPluginLeaf, 2000);
    ExpectCalls(Program(), kLeaf, kOwnCalls);
    // 1 KiB for a module, and pages of counters, for each load would be more.
    EXPECT_LT(fs::file_size(RecordingFile()), 800'000) << name;
  }
}

TEST_P(PluginTest, TwoInTurnStayApart) {
  Run({Program(), "plugins", "500", Plugin("a"), Plugin("b")});
  ExpectCalls(Plugin("a"), kPluginLeaf, 500);
  ExpectCalls(Plugin("b"), kPluginLeaf, 500);
  EXPECT_LT(fs::file_size(RecordingFile()), 800'000);
}

TEST_P(PluginTest, RebuiltUnderTheSamePathStaysApart) {
  Run({Program(), "rebuilt", "100", Plugin("a"), Plugin("b")});
  ExpectCalls(Plugin("a"), kPluginLeaf, 100);
  ExpectCalls(Plugin("b"), kPluginLeaf, 100);
}

TEST_P(PluginTest, RebuiltHasAGmonFileForEachBuild) {
  setenv("GMON_OUT_PREFIX", (folder_ / "chosen").c_str(), 1);
  Run({Program(), "rebuilt", "10", Plugin("a"), Plugin("b")});
  unsetenv("GMON_OUT_PREFIX");
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    files += entry.path().filename().string().rfind("chosen.plugin.so.", 0) == 0;
  }
  EXPECT_EQ(files, 2);
}

TEST_P(PluginTest, TextInOtherMemoryIsTheModulesText) {
  for (const char* which : {"all", "page", "file", "early all", "early page", "early file"}) {
    Run({Program(), "remapped", which, Plugin("a")});
    ExpectCalls(Program(), kLeaf, 2 * kOwnCalls);
    ExpectCalls(Plugin("a"), kPluginLeaf, 2);
  }
}

TEST_P(PluginTest, ThousandsOfThreadsAliveAtTheEnd) {
  Run({Program(), "alive", "3000"});
  ExpectCalls(Program(), kLeaf, kOwnCalls + 30'000);
}

TEST_P(PluginTest, TheDynamicLinkersArgumentIsTheProgram) {
  Run({"/lib64/ld-linux-x86-64.so.2", Program(), "count"});
  EXPECT_EQ(RecordingFile().filename().string().rfind("program_" + Way() + ".", 0), 0);
  ExpectCalls(Program(), kLeaf, kOwnCalls);
  Run({"/lib64/ld-linux-x86-64.so.2", Program(), "plugins", "1", Plugin("a")});
  ExpectCalls(Plugin("a"), kPluginLeaf, 2);
}

INSTANTIATE_TEST_SUITE_P(Ways, PluginTest, testing::Values("pie", "no_pie", "mcount"),
                         [](const auto& info) { return std::string(info.param); });

using RoomTest = EnvironmentTest;

TEST_P(RoomTest, CountsHaveRoom) {
  Run({Program(), "count"});
  ExpectCalls(Program(), kLeaf, kOwnCalls);
}

TEST_P(RoomTest, OnlyTheProgramsSignalsAreSeen) {
  setenv("GPROFHUB_SAMPLER", "timer", 1);
  setenv("GPROFHUB_SAMPLE_RATE", "1", 1);
  Run({Program(), "wait"});
  unsetenv("GPROFHUB_SAMPLER");
  unsetenv("GPROFHUB_SAMPLE_RATE");
  const auto recording = profile::ReadRecording(Slurp(RecordingFile()), "recording");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->samples, 3);
}

INSTANTIATE_TEST_SUITE_P(Ways, RoomTest,
                         testing::Values("tsan", "tsan_clang", "msan", "asan", "asan_no_pie"),
                         [](const auto& info) { return std::string(info.param); });

// Mappings are elsewhere then.
class UnlimitedStackTest : public EnvironmentTest {
 protected:
  UnlimitedStackTest() {
    getrlimit(RLIMIT_STACK, &before_);
    const rlimit unlimited = {RLIM_INFINITY, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_STACK, &unlimited), 0);
  }
  ~UnlimitedStackTest() override { setrlimit(RLIMIT_STACK, &before_); }

  rlimit before_ = {};
};

TEST_P(UnlimitedStackTest, CountsHaveRoom) {
  Run({Program(), "count"});
  ExpectCalls(Program(), kLeaf, kOwnCalls);
  if (Way() == "static_pie") return;
  Run({Program(), "plugins", "1", Plugin("a")});
  ExpectCalls(Plugin("a"), kPluginLeaf, 2);
}

INSTANTIATE_TEST_SUITE_P(Ways, UnlimitedStackTest,
                         testing::Values("pie", "no_pie", "static_pie", "tsan", "asan",
                                         "asan_no_pie", "mcount"),
                         [](const auto& info) { return std::string(info.param); });

TEST(LibraryTest, OpensWhatIsNextToIt) {
  const fs::path folder = fs::path(testing::TempDir()) / "opener";
  EXPECT_EQ(RunIn(folder, {Built("caller"), Built("libopener.so"), "libmcount_a.so"}), 0);
}

}  // namespace
}  // namespace gprofhub::tests
