#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "profile/format/recording.h"

extern "C" {
#include "runtime/base/config.h"
}

namespace {

// Configuration of a process with this environment; if null, it reads the kernel's copy.
struct gh_config Read(const std::vector<std::string>* variables) {
  void* const shared = mmap(nullptr, sizeof(struct gh_config), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::bad_alloc();
  std::vector<char*> definitions;
  if (variables != nullptr) {
    for (const std::string& each : *variables)
      definitions.push_back(const_cast<char*>(each.c_str()));
  }
  definitions.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    environ = variables == nullptr ? nullptr : definitions.data();
    gh_config_read();
    std::memcpy(shared, &gh_config, sizeof gh_config);
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  struct gh_config config;
  std::memcpy(&config, shared, sizeof config);
  munmap(shared, sizeof config);
  return config;
}

struct gh_config ReadOf(const std::vector<std::string>& variables) {
  return Read(&variables);
}

std::string Here() {
  char here[GH_PATH_BYTES];
  EXPECT_NE(getcwd(here, sizeof here), nullptr);
  return here;
}

TEST(Config, MayBeginSwitchedOff) {
  EXPECT_EQ(ReadOf({}).start, GH_START_NOW);
  EXPECT_EQ(ReadOf({"GPROFHUB_START=paused"}).start, GH_START_PAUSED);
  const struct {
    const char* text;
    uint64_t milliseconds;
  } kDelays[] = {
      {"after=0", 0}, {"after=10s", 10000}, {"after=7", 7000}, {"after=999999", 86400000}};
  for (const auto& delay : kDelays) {
    const struct gh_config config = ReadOf({std::string("GPROFHUB_START=") + delay.text});
    EXPECT_EQ(config.start, GH_START_AFTER) << delay.text;
    EXPECT_EQ(config.start_after_ms, delay.milliseconds) << delay.text;
  }
  for (const char* other : {"", "now", "after=", "after=s", "after=5m", "after=-1", "pausedx"}) {
    EXPECT_EQ(ReadOf({std::string("GPROFHUB_START=") + other}).start, GH_START_NOW) << other;
  }
}

TEST(Config, LeavesTheSignalToTheProgramOnlyIfAskedTo) {
  EXPECT_TRUE(ReadOf({"GPROFHUB_SAMPLE_RATE=0"}).takes_signal);
  EXPECT_FALSE(ReadOf({"GPROFHUB_SAMPLER=off"}).takes_signal);
}

TEST(Config, HasDefaults) {
  const struct gh_config config = ReadOf({"HOME=/", "GPROFHUB=1", "GPROFHUB_SAMPLE_RATES=3"});
  EXPECT_EQ(config.directory, Here());
  EXPECT_EQ(config.naming, GH_GMON_PLAIN);
  EXPECT_EQ(config.write_gmon, GH_GMON_ALL);
  EXPECT_EQ(config.rank, GH_NO_RANK);
  EXPECT_TRUE(config.rank_selected);
  EXPECT_EQ(config.rate, 1000u);
  EXPECT_EQ(config.ring_rate, 4000u) << "without a signal each they cost half";
  EXPECT_TRUE(config.ring_slows_down);
  EXPECT_EQ(config.timer_rate, 250u) << "a timer delivers no more where the kernel ticks so often";
  EXPECT_EQ(config.forced_mechanism, 0u);
  EXPECT_EQ(config.dimension, GH_SECONDS);
  EXPECT_EQ(config.event_period, 1'000'000u);
  EXPECT_FALSE(config.stacks);
  EXPECT_FALSE(config.library_calls);
  EXPECT_FALSE(config.main_thread_only);
  EXPECT_NE(std::string(config.program).find("/config_test"), std::string::npos);
}

TEST(Config, PlacesProfiles) {
  struct gh_config config = ReadOf({"TEST_UNDECLARED_OUTPUTS_DIR=/outputs"});
  EXPECT_STREQ(config.directory, "/outputs");
  EXPECT_EQ(config.naming, GH_GMON_PLACED);
  config = ReadOf({"TEST_UNDECLARED_OUTPUTS_DIR=/outputs", "GPROFHUB_PROFILE_DIR=profiles"});
  EXPECT_EQ(config.directory, Here() + "/profiles");
  EXPECT_EQ(config.naming, GH_GMON_PLACED);
  config = ReadOf({"GMON_OUT_PREFIX=sub/p", "GPROFHUB_PROFILE_DIR=/profiles"});
  EXPECT_STREQ(config.directory, "/profiles");
  EXPECT_EQ(config.prefix, Here() + "/sub/p");
  EXPECT_EQ(config.naming, GH_GMON_PREFIX);
  config = ReadOf({"GPROFHUB_PROFILE_DIR="});
  EXPECT_EQ(config.naming, GH_GMON_PLAIN);
}

TEST(Config, TakesNoValueThatDoesNotFit) {
  const struct gh_config config =
      ReadOf({"GPROFHUB_PROFILE_DIR=/" + std::string(GH_PATH_BYTES, 'd'),
              "GPROFHUB_SAMPLE_RATE=" + std::string(20, '0') + "7"});
  EXPECT_EQ(config.directory, Here());
  EXPECT_EQ(config.rate, 1000u);
  EXPECT_EQ(config.ring_rate, 4000u) << "without a signal each they cost half";
}

TEST(Config, ReadsHowToSample) {
  EXPECT_EQ(ReadOf({"GPROFHUB_SAMPLE_RATE=99"}).rate, 99u);
  EXPECT_EQ(ReadOf({"GPROFHUB_SAMPLE_RATE=99"}).timer_rate, 99u);
  EXPECT_EQ(ReadOf({"GPROFHUB_SAMPLE_RATE=99"}).ring_rate, 99u);
  EXPECT_FALSE(ReadOf({"GPROFHUB_SAMPLE_RATE=99"}).ring_slows_down);
  EXPECT_EQ(ReadOf({"GPROFHUB_SAMPLE_RATE=0"}).rate, 0u);
  EXPECT_EQ(ReadOf({"GPROFHUB_SAMPLE_RATE=0"}).timer_rate, 0u);
  EXPECT_EQ(ReadOf({"GPROFHUB_SAMPLE_RATE=10000"}).rate, 10000u);
  EXPECT_EQ(ReadOf({"GPROFHUB_SAMPLE_RATE=10001"}).rate, 10000u);
  for (const char* const text : {"", "fast", "-1", "99x"}) {
    EXPECT_EQ(ReadOf({std::string("GPROFHUB_SAMPLE_RATE=") + text}).rate, 1000u) << text;
  }
  EXPECT_EQ(ReadOf({"GPROFHUB_SAMPLER=off"}).rate, 0u);
  EXPECT_EQ(ReadOf({"GPROFHUB_SAMPLER=off"}).timer_rate, 0u);
  EXPECT_EQ(ReadOf({"GPROFHUB_SAMPLER=off"}).ring_rate, 0u);
  EXPECT_EQ(ReadOf({"GPROFHUB_SAMPLER=ring"}).forced_mechanism, GPROFHUB_PERF_RING);
  EXPECT_EQ(ReadOf({"GPROFHUB_SAMPLER=perf"}).forced_mechanism, GPROFHUB_PERF_TASK_CLOCK);
  EXPECT_EQ(ReadOf({"GPROFHUB_SAMPLER=timer"}).forced_mechanism, GPROFHUB_TIMER_CREATE);
  EXPECT_EQ(ReadOf({"GPROFHUB_SAMPLER=itimer"}).forced_mechanism, GPROFHUB_ITIMER_PROF);
  EXPECT_EQ(ReadOf({"GPROFHUB_SAMPLER=else"}).forced_mechanism, 0u);
  EXPECT_EQ(ReadOf({"GPROFHUB_DIMENSION=instructions"}).dimension, GH_INSTRUCTIONS);
  EXPECT_EQ(ReadOf({"GPROFHUB_DIMENSION=cycles"}).dimension, GH_CYCLES);
  EXPECT_TRUE(ReadOf({"GPROFHUB_STACKS=1"}).stacks);
  EXPECT_TRUE(ReadOf({"GPROFHUB_LIBRARY_CALLS=1"}).library_calls);
  EXPECT_FALSE(ReadOf({"GPROFHUB_LIBRARY_CALLS=10"}).library_calls);
  EXPECT_TRUE(ReadOf({"GPROFHUB_THREADS=main"}).main_thread_only);
  EXPECT_TRUE(ReadOf({"BG_GMON_START_THREAD_TIMERS=main"}).main_thread_only);
  EXPECT_FALSE(ReadOf({"BG_GMON_START_THREAD_TIMERS=nocomm"}).main_thread_only);
}

TEST(Config, ReadsTheFunctionToBeginWith) {
  const struct gh_config config = ReadOf({"GPROFHUB_START=call=shop::Server::Serve"});
  EXPECT_EQ(config.start, GH_START_CALL);
  EXPECT_STREQ(config.start_function, "shop::Server::Serve");
  EXPECT_EQ(ReadOf({"GPROFHUB_START=call="}).start, GH_START_NOW);
}

TEST(Config, ReadsHowLongWindowsAre) {
  EXPECT_EQ(ReadOf({}).window_ms, 0u);
  EXPECT_EQ(ReadOf({"GPROFHUB_WINDOW=60s"}).window_ms, 60'000u);
  EXPECT_EQ(ReadOf({"GPROFHUB_WINDOW=5"}).window_ms, 5'000u);
  for (const char* const other : {"", "0", "soon", "1h", "-1"}) {
    EXPECT_EQ(ReadOf({std::string("GPROFHUB_WINDOW=") + other}).window_ms, 0u) << other;
  }
}

TEST(Config, ReadsThePeriodOfEvents) {
  EXPECT_EQ(ReadOf({"GPROFHUB_EVENT_PERIOD=20000"}).event_period, 20'000u);
  EXPECT_EQ(ReadOf({"GPROFHUB_EVENT_PERIOD=9999"}).event_period, 10'000u);
  // 2^64 and 20,000.
  EXPECT_EQ(ReadOf({"GPROFHUB_EVENT_PERIOD=18446744073709571616"}).event_period, UINT64_MAX);
}

TEST(Config, ReadsWhichGmonFilesToWrite) {
  EXPECT_EQ(ReadOf({"GPROFHUB_GMON=0"}).write_gmon, GH_GMON_NONE);
  EXPECT_EQ(ReadOf({"GPROFHUB_GMON=1"}).write_gmon, GH_GMON_ALL);
  EXPECT_EQ(ReadOf({"GPROFHUB_GMON=program"}).write_gmon, GH_GMON_PROGRAM_ONLY);
}

TEST(Config, TakesTheRankOfTheWorldFirst) {
  EXPECT_EQ(ReadOf({"SLURM_PROCID=5"}).rank, 5);
  EXPECT_EQ(ReadOf({"SLURM_PROCID=5", "PMI_RANK=4", "OMPI_COMM_WORLD_RANK=0"}).rank, 0);
  EXPECT_EQ(ReadOf({"PMI_RANK=4", "PMIX_RANK=none"}).rank, 4);
  for (const char* const rank : {"-1", "4294967295", "18446744073709551617"}) {
    EXPECT_EQ(ReadOf({std::string("PMI_RANK=") + rank}).rank, GH_NO_RANK) << rank;
  }
}

bool IsSelected(const std::string& subset, int rank) {
  return ReadOf({"PMI_RANK=" + std::to_string(rank), "BG_GMON_RANK_SUBSET=" + subset})
      .rank_selected;
}

TEST(Config, SelectsRanks) {
  EXPECT_TRUE(IsSelected("3", 3));
  EXPECT_FALSE(IsSelected("3", 4));
  EXPECT_TRUE(IsSelected("3:5", 3));
  EXPECT_TRUE(IsSelected("3:5", 5));
  EXPECT_FALSE(IsSelected("3:5", 2));
  EXPECT_FALSE(IsSelected("3:5", 6));
  EXPECT_TRUE(IsSelected("3:9:3", 6));
  EXPECT_FALSE(IsSelected("3:9:3", 7));
  EXPECT_FALSE(IsSelected("5:3", 4));
  for (const char* const anything : {"", "all", "3:", "3:5:", "3:5:0", "3:5:2:1", "3 ", ":5"}) {
    EXPECT_TRUE(IsSelected(anything, 7)) << anything;
  }
  EXPECT_TRUE(ReadOf({"BG_GMON_RANK_SUBSET=3"}).rank_selected);  // no rank
  EXPECT_TRUE(
      ReadOf({"PMI_RANK=7", "BG_GMON_RANK_SUBSET=3", "GPROFHUB_RANK_SUBSET=7"}).rank_selected);
}

TEST(Config, BeforeLibcHasTheEnvironmentIsTheKernels) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  const struct gh_config from_libc = ReadOf(variables);
  const struct gh_config from_kernel = Read(nullptr);
  EXPECT_STREQ(from_kernel.directory, from_libc.directory);
  EXPECT_EQ(from_kernel.naming, from_libc.naming);
  EXPECT_NE(from_kernel.naming, GH_GMON_PLAIN) << "run by Bazel, which names a folder";
}

}  // namespace
