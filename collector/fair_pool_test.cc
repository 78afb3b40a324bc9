#include "collector/fair_pool.h"

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

TEST(FairShareTest, OneTakerGetsHalf) {
  FairShare share(100);
  EXPECT_TRUE(share.Take("a", 50));
  EXPECT_FALSE(share.Take("a", 1));
}

TEST(FairShareTest, SomebodyNewAlwaysFindsAPart) {
  FairShare share(120);
  ASSERT_TRUE(share.Take("a", 60));
  EXPECT_TRUE(share.Take("b", 30));
  EXPECT_FALSE(share.Take("b", 1));
  EXPECT_TRUE(share.Take("c", 15));
  EXPECT_FALSE(share.Take("a", 1));
}

TEST(FairShareTest, InPartsManyGreedyOnesLeaveMore) {
  FairShare share(412, 2);
  for (const char* taker : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}) {
    while (share.Take(taker, 1)) {
    }
  }
  EXPECT_TRUE(share.Take("new", 1));
}

TEST(FairShareTest, WhatIsGivenBackCanBeTaken) {
  FairShare share(10);
  ASSERT_TRUE(share.Take("a", 5));
  share.Give("a", 5);
  EXPECT_TRUE(share.Take("b", 5));
  EXPECT_FALSE(share.Take("a", 3));
  EXPECT_TRUE(share.Take("a", 2));
}

TEST(FairShareTest, RefusesMoreThanThereIs) {
  FairShare share(10);
  EXPECT_FALSE(share.Take("a", 11));
  EXPECT_FALSE(share.Take("a", ~uint64_t{0}));
  EXPECT_TRUE(share.Take("a", 5));
}

TEST(HoldingTest, GoesBackAtItsEnd) {
  FairShare share(8);
  {
    Holding holding(share);
    EXPECT_TRUE(holding.Take("a", 0));
    EXPECT_TRUE(holding.Take("a", 3));
    EXPECT_TRUE(holding.Take("a", 1));
    EXPECT_FALSE(holding.Take("a", 1));
    EXPECT_FALSE(share.Take("a", 1));
  }
  EXPECT_TRUE(share.Take("a", 4));
}

constexpr PatienceLimits kLimits = {absl::Seconds(10), absl::Seconds(30), 1000};
const absl::Time kStart = absl::FromUnixSeconds(1'700'000'000);

absl::Time At(int seconds) { return kStart + absl::Seconds(seconds); }

TEST(PatienceTest, IsOverWithoutAFirstMessage) {
  Patience patience(kLimits);
  patience.WaitBegins(At(0));
  EXPECT_FALSE(patience.IsOver(At(10)));
  EXPECT_TRUE(patience.IsOver(At(11)));
}

TEST(PatienceTest, IsNeverOverWhileNobodyWaits) {
  Patience patience(kLimits);
  EXPECT_FALSE(patience.IsOver(At(1'000'000)));
  patience.WaitBegins(At(0));
  patience.WaitEnds(At(1), 1);
  EXPECT_FALSE(patience.IsOver(At(1'000'000)));
}

TEST(PatienceTest, LastsForAClientThatKeepsTheRate) {
  Patience patience(kLimits);
  for (int at = 0; at < 1000; at += 5) {
    patience.WaitBegins(At(at));
    ASSERT_FALSE(patience.IsOver(At(at + 5))) << at;
    patience.WaitEnds(At(at + 5), 5000);
  }
}

TEST(PatienceTest, EndsForAClientBelowTheRate) {
  Patience patience(kLimits);
  int at = 0;
  for (patience.WaitBegins(At(at)); !patience.IsOver(At(at + 2)); patience.WaitBegins(At(at))) {
    at += 2;
    patience.WaitEnds(At(at), 500);
    ASSERT_LT(at, 100);
  }
  EXPECT_EQ(at, 12);  // 10 seconds, of which every two seconds use one and a half
}

TEST(PatienceTest, CannotBeSavedUp) {
  Patience patience(kLimits);
  patience.WaitBegins(At(0));
  patience.WaitEnds(At(0), 1'000'000'000);
  patience.WaitBegins(At(0));
  EXPECT_FALSE(patience.IsOver(At(30)));
  EXPECT_TRUE(patience.IsOver(At(31)));
}

}  // namespace

}  // namespace gprofhub::collector
