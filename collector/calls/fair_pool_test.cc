#include "collector/calls/fair_pool.h"

#include <gtest/gtest.h>

#include <atomic>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"

namespace gprofhub::collector {
namespace {

TEST(FairPoolTest, RunsEverythingBeforeItEnds) {
  std::atomic<int> done = 0;
  {
    FairPool pool(3);
    for (int i = 0; i < 1000; ++i) {
      pool.Submit(i % 2 == 0 ? "a" : "b", [&done] { ++done; });
    }
  }
  EXPECT_EQ(done, 1000);
}

TEST(FairPoolTest, LeavesThreadsForOthers) {
  absl::Notification go_on;
  FairPool pool(4);
  for (int i = 0; i < 100; ++i) {
    pool.Submit("greedy", [&go_on] { go_on.WaitForNotification(); });
  }
  absl::Notification other_ran;
  pool.Submit("other", [&other_ran] { other_ran.Notify(); });
  other_ran.WaitForNotification();  // while all tasks of the greedy owner wait
  go_on.Notify();
}

TEST(FairPoolTest, SaysHowLongTasksHaveWaitedInVain) {
  std::atomic<int> minute = 0;
  const auto now = [&minute] { return absl::UnixEpoch() + absl::Minutes(minute.load()); };
  absl::Notification go_on;
  absl::BlockingCounter blocked(2);
  FairPool pool(3, now);  // one owner may have two
  for (int i = 0; i < 2; ++i) {
    pool.Submit("a", [&] {
      blocked.DecrementCount();
      go_on.WaitForNotification();
    });
  }
  blocked.Wait();
  minute = 5;
  EXPECT_EQ(pool.StuckFor(), absl::ZeroDuration()) << "nobody waits";
  pool.Submit("a", [] {});
  minute = 8;
  EXPECT_EQ(pool.StuckFor(), absl::Minutes(3));
  go_on.Notify();
}

TEST(FairPoolTest, TakesOwnersInTurn) {
  absl::Notification go_on;
  absl::BlockingCounter blocked(1);
  std::vector<char> order;
  {
    FairPool pool(2);  // one owner may have one
    pool.Submit("c", [&] {
      blocked.DecrementCount();
      go_on.WaitForNotification();
    });
    blocked.Wait();
    absl::Notification start;
    pool.Submit("a", [&] { start.WaitForNotification(); });
    for (int i = 0; i < 3; ++i) {
      pool.Submit("a", [&order] { order.push_back('a'); });
    }
    pool.Submit("b", [&order] { order.push_back('b'); });
    start.Notify();
    absl::Notification last;
    pool.Submit("b", [&last] { last.Notify(); });
    last.WaitForNotification();
    go_on.Notify();
  }
  ASSERT_EQ(order.size(), 4u);
  EXPECT_NE(order[3], 'b');  // it did not wait for all tasks of the other owner
}

}  // namespace
}  // namespace gprofhub::collector
