// Switches, ranks, file names, and what happens where nothing can be written.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "profile/gmon/reader.h"
#include "profile/recording/reader.h"
#include "tests/runtime/run_program.h"
#include "tests/runtime/slurp.h"

namespace gprofhub::tests {
namespace {

class RuntimeBehaviourTest : public RunProgramTest {
 protected:
  RuntimeBehaviourTest() : RunProgramTest("behaviour_program") {}
};

TEST_F(RuntimeBehaviourTest, NamesFilesAfterProgramAndBuildId) {
  ASSERT_EQ(Run("count"), 0);
  EXPECT_EQ(RecordedCalls(), 1000);
  const std::vector<std::string> files = Files();
  ASSERT_EQ(files.size(), 2);
  EXPECT_EQ(files[0].rfind("behaviour_program.", 0), 0);
  EXPECT_NE((files[0] + files[1]).find(".gmon."), std::string::npos);
  EXPECT_EQ(err_, "");
}

// An emulator answers for /proc/self/exe and uname itself.
TEST_F(RuntimeBehaviourTest, DescribesItsEnvironment) {
  environment_["GLIBC_TUNABLES"] = "glibc.malloc.arena_max=3";
  ASSERT_EQ(Run("count"), 0);
  const profile::Environment environment = OnlyRecording().environment;
  EXPECT_EQ(environment.architecture, kEmulated ? "aarch64" : "x86_64");
  EXPECT_EQ(environment.emulator, kEmulated ? "qemu-aarch64-static" : "");
  EXPECT_NE(environment.processor, "");
  EXPECT_NE(environment.features, "");
  EXPECT_EQ(environment.tunables, "glibc.malloc.arena_max=3");
  EXPECT_GT(environment.processors, 0u);
}

TEST_F(RuntimeBehaviourTest, GmonOutPrefixKeepsItsMeaning) {
  environment_["GMON_OUT_PREFIX"] = (folder_ / "chosen").string();
  ASSERT_EQ(Run("count"), 0);
  const profile::Recording recording = OnlyRecording();
  const fs::path gmon = folder_ / ("chosen." + std::to_string(recording.pid));
  const auto profile = profile::ReadGmon(Slurp(gmon), "gmon");
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(Calls(*profile), 1000);
}

TEST_F(RuntimeBehaviourTest, WithoutADirectoryItIsGmonOut) {
  environment_["GPROFHUB_PROFILE_DIR"] = "";
  ASSERT_EQ(Run("count"), 0);
  EXPECT_TRUE(fs::exists(folder_ / "gmon.out"));
}

TEST_F(RuntimeBehaviourTest, MoncontrolHoldsBothWays) {
  ASSERT_EQ(Run("moncontrol"), 0);
  EXPECT_EQ(RecordedCalls(), 1010);
}

TEST_F(RuntimeBehaviourTest, MondisableLeavesNothing) {
  ASSERT_EQ(Run("mondisable"), 0);
  EXPECT_TRUE(Files().empty());
}

TEST_F(RuntimeBehaviourTest, WriteServesProgramsThatLeaveByUnderscoreExit) {
  environment_["GMON_OUT_PREFIX"] = (folder_ / "chosen").string();
  ASSERT_EQ(Run("write"), 0);
  EXPECT_EQ(Files().size(), 2);
}

TEST_F(RuntimeBehaviourTest, ShortLivedThreadsShareTables) {
  ASSERT_EQ(Run("threads"), 0);
  const profile::Recording recording = OnlyRecording();
  EXPECT_EQ(RecordedCalls(), 2000);
  EXPECT_EQ(recording.threads, 2001);
  for (const std::string& name : Files()) EXPECT_LT(fs::file_size(folder_ / name), 4 << 20) << name;
}

TEST_F(RuntimeBehaviourTest, RankSubset) {
  const struct {
    const char* subset;
    const char* rank;
    bool selected;
  } kCases[] = {
      {"2", "2", true},     {"2", "1", false},     {"1:3", "0", false},    {"1:3", "3", true},
      {"0:8:4", "4", true}, {"0:8:4", "6", false}, {"0:8:4", "12", false},
  };
  for (const char* variable : {"BG_GMON_RANK_SUBSET", "GPROFHUB_RANK_SUBSET"}) {
    for (const char* rank_of : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) {
      for (const auto& test : kCases) {
        environment_ = {{"GPROFHUB_PROFILE_DIR", folder_.string()},
                        {"GPROFHUB_SAMPLE_RATE", "0"},
                        {variable, test.subset},
                        {rank_of, test.rank}};
        ASSERT_EQ(Run("count"), 0);
        EXPECT_EQ(!Files().empty(), test.selected)
            << variable << "=" << test.subset << " " << rank_of << "=" << test.rank;
        for (const std::string& name : Files()) fs::remove(folder_ / name);
      }
    }
  }
}

TEST_F(RuntimeBehaviourTest, EveryMechanismSamples) {
  for (const char* sampler : {"timer", "itimer"}) {
    environment_["GPROFHUB_SAMPLE_RATE"] = "1000";
    environment_["GPROFHUB_SAMPLER"] = sampler;
    ASSERT_EQ(Run("burn"), 0);
    const profile::Recording recording = OnlyRecording();
    EXPECT_GE(recording.samples, 3) << sampler;
    EXPECT_GE(recording.periods, recording.samples) << sampler;
    EXPECT_EQ(Loss(recording, "unsampled_threads"), 0);
    for (const std::string& name : Files()) fs::remove(folder_ / name);
  }
}

TEST_F(RuntimeBehaviourTest, OneTimerOfTheProcessWeighsItsSignalsByCpuTime) {
  environment_["GPROFHUB_SAMPLE_RATE"] = "1000";
  environment_["GPROFHUB_SAMPLER"] = "itimer";
  ASSERT_EQ(Run("burn"), 0);
  double least = 0;
  double most = 0;
  ASSERT_EQ(std::sscanf(out_.c_str(), "%lf %lf", &least, &most), 2) << out_;
  // All whole milliseconds up to the last signal, which the program sent itself.
  const double periods = static_cast<double>(OnlyRecording().periods);
  EXPECT_GE(periods, 1000 * least - 1);
  EXPECT_LE(periods, 1000 * most);
}

TEST_F(RuntimeBehaviourTest, ATimersOverrunsCountAsPeriods) {
  environment_["GPROFHUB_SAMPLE_RATE"] = "1";
  environment_["GPROFHUB_SAMPLER"] = "timer";
  ASSERT_EQ(Run("overrun"), 0);
  const profile::Recording recording = OnlyRecording();
  EXPECT_EQ(recording.samples, 3);
  EXPECT_EQ(recording.periods, 1 + 7 + 32);
}

TEST_F(RuntimeBehaviourTest, MonstartupNarrowsWhatIsRecorded) {
  environment_["GPROFHUB_SAMPLE_RATE"] = "1";
  environment_["GPROFHUB_SAMPLER"] = "timer";
  ASSERT_EQ(Run("monstartup"), 0);
  EXPECT_EQ(RecordedCalls(), 11 + 3004);
  uint64_t samples = 0;
  const profile::Recording recording = OnlyRecording();
  for (const profile::Histogram& histogram :
       profile::FindModule(recording, "")->profile.histograms) {
    samples = std::accumulate(histogram.bins.begin(), histogram.bins.end(), samples);
  }
  EXPECT_EQ(samples, 4);
}

TEST_F(RuntimeBehaviourTest, AllThreadTimersMeansThoseWhoseCodeCountsNothingToo) {
  environment_["GPROFHUB_THREADS"] = "main";
  environment_["GPROFHUB_SAMPLE_RATE"] = "1";
  ASSERT_EQ(RunProgram(ProgramPath("link_only_program"), ""), 0);
  const profile::Recording recording = OnlyRecording();
  EXPECT_EQ(recording.threads, 1 + 3 + 4);
  EXPECT_EQ(Loss(recording, "unsampled_threads"), 0);
}

// The recording is missed at once, the gmon file at the end.
TEST_F(RuntimeBehaviourTest, MissingDirectoryIsOneLineForTheRecordingAndOneForTheGmonFile) {
  environment_["GPROFHUB_PROFILE_DIR"] = "/nonexistent";
  EXPECT_EQ(Run("count"), 0);
  EXPECT_EQ(out_, "done\n");
  EXPECT_EQ(ErrLines(), 2) << err_;
  const std::string last = err_.substr(err_.find('\n') + 1);
  EXPECT_NE(last.find(": /nonexistent/behaviour_program."), std::string::npos) << err_;
  EXPECT_NE(last.find(": no such directory; its counts are lost\n"), std::string::npos) << err_;
}

TEST_F(RuntimeBehaviourTest, AGmonFileThatCannotBeWrittenLeavesTheRecording) {
  environment_["GMON_OUT_PREFIX"] = "/nonexistent/chosen";
  EXPECT_EQ(Run("count"), 0);
  EXPECT_EQ(RecordedCalls(), 1000);
  ASSERT_EQ(Files().size(), 1);
  EXPECT_EQ(ErrLines(), 1) << err_;
  EXPECT_NE(err_.find(": /nonexistent/chosen."), std::string::npos) << err_;
  EXPECT_NE(err_.find(": no such directory; its counts are in the recording " +
                      (folder_ / Files()[0]).string() + "\n"),
            std::string::npos)
      << err_;
}

TEST_F(RuntimeBehaviourTest, FileSizeLimitIsOneLine) {
  EXPECT_EQ(Run("count", RLIMIT_FSIZE, 60000), 0);
  EXPECT_EQ(out_, "done\n");
  EXPECT_EQ(ErrLines(), 1) << err_;
}

TEST_F(RuntimeBehaviourTest, FewDescriptorsAreEnough) {
  environment_["GPROFHUB_SAMPLE_RATE"] = "1000";
  EXPECT_EQ(Run("count", RLIMIT_NOFILE, 8), 0);
  EXPECT_EQ(out_, "done\n");
  EXPECT_EQ(err_, "");
  EXPECT_EQ(RecordedCalls(), 1000);
}

}  // namespace
}  // namespace gprofhub::tests
