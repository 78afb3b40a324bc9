#include "base/stop_token.h"

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"

namespace gprofhub::base {

namespace {

TEST(StopToken, EndsWaits) {
  StopToken flag;
  EXPECT_FALSE(flag.WaitFor(absl::ZeroDuration()));
  std::thread waits([&flag] { EXPECT_TRUE(flag.WaitFor(absl::InfiniteDuration())); });
  flag.Set();
  waits.join();
  EXPECT_TRUE(flag.IsSet());
  EXPECT_TRUE(flag.WaitFor(absl::InfiniteDuration()));
}

TEST(StopToken, ATimeThatIsOverIsNotWaitedFor) {
  StopToken flag;
  EXPECT_FALSE(flag.WaitFor(-absl::InfiniteDuration()));
  EXPECT_FALSE(flag.WaitFor(absl::Nanoseconds(1)));
}

// Number of the futex operation that the thread waits in (proc(5), syscall); 0: not in futex, or
// not readable.
uint64_t FutexOperationOf(pid_t thread) {
  std::ifstream file(absl::StrCat("/proc/self/task/", thread, "/syscall"));
  long call = -1;
  std::string address, operation;
  if (!(file >> call >> address >> operation) || call != SYS_futex) return 0;
  return std::stoull(operation, nullptr, 16);
}

TEST(StopToken, WaitsByAClockThatNobodySets) {
  StopToken flag;
  std::atomic<pid_t> thread = 0;
  std::thread waits([&] {
    thread = static_cast<pid_t>(syscall(SYS_gettid));
    flag.WaitFor(absl::Hours(1));
  });
  while (thread == 0) std::this_thread::yield();
  if (!std::ifstream(absl::StrCat("/proc/self/task/", thread.load(), "/syscall")).good()) {
    flag.Set();
    waits.join();
    GTEST_SKIP() << "this system does not show what threads wait for";
  }
  uint64_t operation = 0;
  while ((operation & FUTEX_CMD_MASK) != FUTEX_WAIT_BITSET) operation = FutexOperationOf(thread);
  EXPECT_EQ(operation & FUTEX_CLOCK_REALTIME, 0u);
  flag.Set();
  waits.join();
}

}  // namespace

}  // namespace gprofhub::base
