// Several events of one run, each by function.
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/runtime/programs_under_test.h"
#include "tests/runtime/recorded_calls.h"
#include "tests/runtime/slurp.h"

namespace gprofhub::tests {
namespace {

constexpr int kPages = 1500;
constexpr char kFaults[] = "gprofhub_event_page_faults";
constexpr char kTaskClock[] = "gprofhub_event_task_clock_nanoseconds";
constexpr char kCpuClock[] = "gprofhub_event_cpu_clock_nanoseconds";

bool KernelHasEvents() {
  perf_event_attr attributes = {};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_SW_PAGE_FAULTS;
  attributes.exclude_kernel = 1;
  attributes.disabled = 1;
  const long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return false;
  close(static_cast<int>(fd));
  return true;
}

struct Outcome {
  Calls calls;
  std::string said;  // on stderr
};

Outcome RunWith(const std::string& name, const std::string& events, const char* sampler) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / name;
  const std::string image = ProgramPath("events_program");
  setenv("GPROFHUB_EVENTS", events.c_str(), 1);
  setenv("GPROFHUB_SAMPLER", sampler, 1);
  testing::internal::CaptureStderr();
  std::vector<std::string> command = CommandOf(image);
  command.push_back(std::to_string(kPages));
  const int status = RunIn(folder, command);
  Outcome outcome{{}, testing::internal::GetCapturedStderr()};
  unsetenv("GPROFHUB_EVENTS");
  unsetenv("GPROFHUB_SAMPLER");
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  outcome.calls = CallsRecorded(folder, image);
  return outcome;
}

uint64_t Between(const Calls& calls, const std::string& caller, const std::string& callee) {
  const auto found = calls.between.find({caller, callee});
  return found == calls.between.end() ? 0 : found->second;
}

TEST(Events, AreCountedAtOnceForTheFunctionInWhichTheyCome) {
  if (!KernelHasEvents()) GTEST_SKIP() << "the kernel refuses perf_event_open";
  const Outcome outcome = RunWith("three", "page-faults,task-clock,cpu-clock", "ring");
  EXPECT_EQ(outcome.said, "");
  const Calls& calls = outcome.calls;
  EXPECT_EQ(Between(calls, "touches_pages", kFaults), kPages);
  EXPECT_LT(Between(calls, "computes", kFaults), 20);
  for (const char* clock : {kTaskClock, kCpuClock}) {
    EXPECT_GT(Between(calls, "computes", clock), 0) << clock;
    EXPECT_EQ(Between(calls, "computes", clock) % 1'000'000, 0) << clock;
  }
}

TEST(Events, AreThoseThatAreAskedFor) {
  if (!KernelHasEvents()) GTEST_SKIP() << "the kernel refuses perf_event_open";
  const Outcome outcome = RunWith("one", "minor-faults", "ring");
  EXPECT_EQ(Between(outcome.calls, "touches_pages", "gprofhub_event_minor_faults"), kPages);
  EXPECT_FALSE(outcome.calls.of.contains(kFaults));
  EXPECT_FALSE(outcome.calls.of.contains(kTaskClock));
}

TEST(Events, SayWhatIsNotCounted) {
  if (!KernelHasEvents()) GTEST_SKIP() << "the kernel refuses perf_event_open";
  const Outcome outcome = RunWith("unknown", "nonsense,page-faults", "ring");
  EXPECT_NE(outcome.said.find("GPROFHUB_EVENTS does not count all events: nonsense: unknown event"),
            std::string::npos)
      << outcome.said;
  EXPECT_EQ(Between(outcome.calls, "touches_pages", kFaults), kPages);
}

// Also where the kernel refuses it all.
TEST(Events, SayThatTheyNeedPerfEvents) {
  const Outcome outcome = RunWith("timer", "page-faults", "timer");
  EXPECT_NE(outcome.said.find("GPROFHUB_EVENTS has no effect"), std::string::npos) << outcome.said;
  EXPECT_FALSE(outcome.calls.of.contains(kFaults));
}

}  // namespace
}  // namespace gprofhub::tests
