// Sums of looks at times that the test sets.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <thread>

extern "C" {
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/table.h"
#include "runtime/recording/thread_records.h"
#include "runtime/waiting/blocked.h"
#include "runtime/waiting/looks.h"
#include "runtime/waiting/quantities.h"

// The stubs, which are not linked here.
const char gh_stubs_begin[1] = {};
const char gh_stubs_end[1] = {};
}

namespace {

constexpr uint64_t kMillisecond = 1'000'000;

TEST(States, AreReadFromText) {
  gh_blocked blocked = {};
  EXPECT_EQ(gh_parse_state("running\n", &blocked), GH_THREAD_RUNS);
  EXPECT_EQ(gh_parse_state("0 0x3 0x7f03bb006ecf 0x1 0x0 0x0 0x0 0x7f03bb006e90 0x7f03bb1032ec\n",
                           &blocked),
            GH_THREAD_IS_BLOCKED);
  EXPECT_EQ(blocked.number, 0);
  EXPECT_EQ(blocked.argument, 3u);
  EXPECT_EQ(blocked.sp, 0x7f03bb006e90u);
  EXPECT_EQ(blocked.pc, 0x7f03bb1032ecu);
  EXPECT_EQ(gh_parse_state("-1 0x7ffe0010 0x401000\n", &blocked), GH_THREAD_IS_BLOCKED);
  EXPECT_EQ(blocked.number, GH_NO_SYSTEM_CALL);
  EXPECT_EQ(blocked.pc, 0x401000u);
  EXPECT_EQ(gh_parse_state("-1 0x0 0x0\n", &blocked), GH_THREAD_GONE);
  for (const char* text : {"", "\n", "0", "0 0x3", "12 garbage", "-1 0x5"}) {
    EXPECT_EQ(gh_parse_state(text, &blocked), GH_THREAD_GONE) << text;
  }
}

// A thread that reads from a pipe until the test writes to it.
class Blocked {
 public:
  Blocked() {
    EXPECT_EQ(pipe(ends_), 0);
    thread_ = std::thread([this] {
      tid_ = gettid();
      char byte = 0;
      while (read(ends_[0], &byte, 1) < 0) continue;
    });
    while (tid_ == 0) std::this_thread::yield();
    gh_blocked blocked = {};
    const long fd = gh_open_state(static_cast<uint32_t>(tid_));
    while (gh_read_state(static_cast<int32_t>(fd), &blocked) != GH_THREAD_IS_BLOCKED) {
      std::this_thread::yield();
    }
    close(static_cast<int>(fd));
  }

  void End() {
    close(ends_[1]);
    thread_.join();
    close(ends_[0]);
  }

  uint32_t tid() const { return static_cast<uint32_t>(tid_); }

 private:
  int ends_[2] = {};
  std::atomic<pid_t> tid_ = 0;
  std::thread thread_;
};

class Looks : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("GPROFHUB_PROFILE_DIR", testing::TempDir().c_str(), 1);
    ASSERT_EQ(gh_recording_ready(), GH_RECORDING_READY);
    int dropped = 0;
    self_ = gh_record_obtain(static_cast<uint32_t>(gettid()), &dropped);
    ASSERT_NE(self_, nullptr);
    gh_modules_refresh(0);
  }

  void SetUp() override { self_->tables[GPROFHUB_ARCS - 1] = 0; }

  // Sum of all additions.
  static uint64_t Microseconds() {
    auto* const table = reinterpret_cast<gprofhub_chunk*>(self_->tables[GPROFHUB_ARCS - 1]);
    uint64_t sum = 0;
    for (uint64_t i = 0; table != nullptr && i < table->capacity + GPROFHUB_PROBE_SLOTS; ++i) {
      const gprofhub_slot& slot = gh_table_slots(table)[i];
      if (slot.key == reinterpret_cast<uint64_t>(gprofhub_waiting_microseconds)) sum += slot.count;
    }
    return sum;
  }

  bool Look(const Blocked& thread, uint64_t now) {
    gprofhub_thread record = {};
    record.owner = thread.tid();
    return gh_look(&watched_, &record, self_, now, nullptr) != 0;
  }

  static gprofhub_thread* self_;
  gh_watched watched_ = {};
};

gprofhub_thread* Looks::self_;

TEST_F(Looks, EachStandsForHalfOfTheTimeAtEitherSide) {
  Blocked thread;
  EXPECT_TRUE(Look(thread, 100 * kMillisecond));
  EXPECT_EQ(Microseconds(), 0u) << "since when it waits is not known";
  EXPECT_TRUE(Look(thread, 104 * kMillisecond));
  EXPECT_EQ(Microseconds(), 4000u);
  EXPECT_TRUE(Look(thread, 109 * kMillisecond));
  EXPECT_EQ(Microseconds(), 9000u);
  thread.End();
  EXPECT_FALSE(Look(thread, 115 * kMillisecond));
  EXPECT_EQ(Microseconds(), 12000u) << "it has ended somewhere in between";
  EXPECT_FALSE(Look(thread, 120 * kMillisecond));
  EXPECT_EQ(Microseconds(), 12000u);
}

TEST_F(Looks, ComeLessOftenInALongWait) {
  Blocked thread;
  Look(thread, kMillisecond);
  EXPECT_EQ(watched_.next, 0u) << "the next time, too";
  Look(thread, 161 * kMillisecond);
  EXPECT_EQ(watched_.next, 171 * kMillisecond);
  for (uint64_t second = 1; second < 10; ++second) Look(thread, second * 900 * kMillisecond);
  EXPECT_EQ(watched_.next, (8100 + 64) * kMillisecond) << "but not seldom";
  thread.End();
}

TEST_F(Looks, DoNotCountWhatPassedWhileEverythingStoodStill) {
  Blocked thread;
  Look(thread, kMillisecond);
  Look(thread, 5001 * kMillisecond);
  EXPECT_EQ(Microseconds(), 0u);
  Look(thread, 5005 * kMillisecond);
  EXPECT_EQ(Microseconds(), 4000u);
  thread.End();
}

TEST_F(Looks, BeginAnewWhenAnotherThreadHasTheRecord) {
  Blocked first;
  Look(first, kMillisecond);
  first.End();
  Blocked second;
  EXPECT_TRUE(Look(second, 5 * kMillisecond));
  EXPECT_EQ(Microseconds(), 0u);
  EXPECT_TRUE(Look(second, 9 * kMillisecond));
  EXPECT_EQ(Microseconds(), 4000u);
  second.End();
}

}  // namespace
