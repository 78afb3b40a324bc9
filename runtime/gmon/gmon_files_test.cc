// The gmon files of this process, which counts what the tests request.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "profile/format/recording.h"
#include "profile/gmon/reader.h"

extern "C" {
#include "runtime/base/complain.h"
#include "runtime/gmon/gmon_files.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/thread_records.h"

// The stubs, which are not linked here.
const char gh_stubs_begin[1] = {};
const char gh_stubs_end[1] = {};
}

namespace {

namespace fs = std::filesystem;

volatile int entered;
void Callee() { entered = 1; }
void Caller() { entered = 2; }

uint64_t AddressOf(void (*function)()) { return reinterpret_cast<uint64_t>(function); }
// In another module.
uint64_t AddressElsewhere() { return reinterpret_cast<uint64_t>(dlsym(RTLD_DEFAULT, "getenv")); }

class GmonFiles : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::string folder = ::testing::TempDir() + "/gmon_files";
    fs::remove_all(folder);
    fs::create_directories(folder);
    setenv("GPROFHUB_PROFILE_DIR", folder.c_str(), 1);
    setenv("GPROFHUB_GMON", "1", 1);
    unsetenv("GMON_OUT_PREFIX");
    ASSERT_EQ(gh_recording_ready(), GH_RECORDING_READY);
    gh_header->rate = 100;
    std::string("seconds").copy(gh_header->dimension, sizeof gh_header->dimension);
    gh_header->abbreviation = 's';
    int dropped = 0;
    thread_ = gh_record_obtain(static_cast<uint32_t>(gettid()), &dropped);
    ASSERT_NE(thread_, nullptr);
  }

  static void Count(uint32_t kind, uint64_t key, uint64_t context, uint64_t amount) {
    ASSERT_GE(gh_count(thread_, kind, key, context, amount, nullptr), 0);
  }

  static std::vector<fs::path> Files() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(::testing::TempDir() + "/gmon_files")) {
      if (entry.path().extension() != ".gprofhub") files.push_back(entry.path());
    }
    return files;
  }

  // The program's file, rewritten.
  static gprofhub::profile::RawProfile Written() {
    gh_gmon_write();
    for (const fs::path& path : Files()) {
      if (path.filename().string().rfind("gmon_files_test.", 0) != 0) continue;
      gprofhub::profile::GmonReadOptions options;
      options.address_size = 8;
      std::stringstream bytes;
      bytes << std::ifstream(path, std::ios::binary).rdbuf();
      auto profile = gprofhub::profile::ReadGmon(bytes.str(), path.string(), options);
      EXPECT_TRUE(profile.ok()) << profile.status();
      return profile.ok() ? *std::move(profile) : gprofhub::profile::RawProfile();
    }
    ADD_FAILURE() << "no file";
    return {};
  }

  // Ends the process; returns the number of files that exist.
  static void WriteUnderALimit() {
    gh_complain_begin();  // death tests have a stderr of their own
    const rlimit limit = {4000, 4000};
    setrlimit(RLIMIT_FSIZE, &limit);
    gh_gmon_write();
    _exit(static_cast<int>(Files().size()));
  }

  // As linked.
  static uint64_t Linked(uint64_t address) { return address - gh_module_find(address)->bias; }

  static uint64_t CallsFrom(const gprofhub::profile::RawProfile& profile, uint64_t from,
                            uint64_t self) {
    uint64_t count = 0;
    for (const auto& arc : profile.arcs) {
      if (arc.from_pc == from && arc.self_pc == Linked(self)) count += arc.count;
    }
    return count;
  }

  static gprofhub_thread* thread_;
};
gprofhub_thread* GmonFiles::thread_ = nullptr;

TEST_F(GmonFiles, HaveCountsBeyondTheWidthOfTheirFields) {
  const uint64_t self = AddressOf(Callee), from = AddressOf(Caller);
  constexpr uint64_t kMany = 3 * (uint64_t{1} << 32) + 7;
  Count(GPROFHUB_ARCS, self, from, kMany);
  Count(GPROFHUB_BLOCKS, self + 5, 0, kMany);  // after the block's call of the hook
  Count(GPROFHUB_SAMPLES, self, 0, 200'000);
  const gprofhub::profile::RawProfile profile = Written();
  EXPECT_EQ(CallsFrom(profile, Linked(from), self), kMany);
  ASSERT_EQ(profile.blocks.size(), 1u);
  EXPECT_EQ(profile.blocks[0].pc, Linked(self));
  EXPECT_EQ(profile.blocks[0].count, kMany);
  uint64_t samples = 0, at_callee = 0;
  for (const auto& histogram : profile.histograms) {
    EXPECT_EQ(histogram.rate, 100u);
    EXPECT_EQ(histogram.dimension, "seconds");
    samples = std::accumulate(histogram.bins.begin(), histogram.bins.end(), samples);
    if (Linked(self) < histogram.low_pc || Linked(self) >= histogram.high_pc) continue;
    at_callee += histogram.bins[(Linked(self) - histogram.low_pc) / 2];
  }
  EXPECT_EQ(samples, 200'000u);
  EXPECT_EQ(at_callee, 200'000u);
}

TEST_F(GmonFiles, HaveNoAddressOfCallersElsewhere) {
  const uint64_t self = AddressOf(Caller);
  Count(GPROFHUB_ARCS, self, AddressElsewhere(), 3);
  Count(GPROFHUB_ARCS, self, GPROFHUB_CALLER_UNKNOWN, 4);
  EXPECT_EQ(CallsFrom(Written(), 0, self), 7u);
}

TEST_F(GmonFiles, OfOtherModulesAreWrittenIfTheyHaveCounts) {
  gh_gmon_write();
  const size_t before = Files().size();
  Count(GPROFHUB_ARCS, AddressElsewhere(), AddressOf(Caller), 1);
  gh_gmon_write();
  EXPECT_EQ(Files().size(), before + 1);
}

TEST_F(GmonFiles, ThatCannotBeWrittenWholeAreNotLeft) {
  Count(GPROFHUB_ARCS, AddressOf(Callee), AddressOf(Caller), 1);
  EXPECT_EXIT(WriteUnderALimit(), ::testing::ExitedWithCode(0),
              "cannot write the profile at exit: .*ulimit -f");
}

}  // namespace
