#include "ci/upload/bounded_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "absl/synchronization/barrier.h"
#include "absl/synchronization/notification.h"

namespace gprofhub::ci {
namespace {

using ::testing::ElementsAre;

TEST(BoundedWorkTest, OneThreadWorksInTheOrderInWhichWorkCame) {
  std::vector<int> done;
  {
    BoundedWork work(1, 100);
    for (int i = 0; i < 5; ++i) work.Add(1, [&done, i] { done.push_back(i); });
  }
  EXPECT_THAT(done, ElementsAre(0, 1, 2, 3, 4));
}

TEST(BoundedWorkTest, AsManyPiecesAsThereAreThreadsAreUnderWayAtOnce) {
  constexpr int kThreads = 4;
  // Requires all pieces to run at the same time.
  auto* const barrier = new absl::Barrier(kThreads);
  std::atomic<int> done = 0;
  {
    BoundedWork work(kThreads, 100);
    for (int i = 0; i < kThreads; ++i) {
      work.Add(1, [&] {
        if (barrier->Block()) delete barrier;
        ++done;
      });
    }
  }
  EXPECT_EQ(done, kThreads);
}

TEST(BoundedWorkTest, WorkThatHoldsTooMuchWaitsUntilEnoughIsGivenBack) {
  absl::Notification begun, go_on;
  std::atomic<int> done_before_large = -1;
  std::atomic<int> done = 0;
  {
    BoundedWork work(4, 10);
    work.Add(6, [&] {
      begun.Notify();
      go_on.WaitForNotification();
      ++done;
    });
    begun.WaitForNotification();
    // This one fits, the next one does not.
    work.Add(4, [&] {
      ++done;
      go_on.Notify();
    });
    work.Add(100, [&] { done_before_large = done.load(); });
  }
  EXPECT_EQ(done_before_large, 2) << "it had to wait for both";
}

TEST(BoundedWorkTest, WhatAPieceHoldsIsFreeBeforeThereIsRoomForMore) {
  const auto held = std::make_shared<int>(1);
  BoundedWork work(1, 10);
  work.Add(10, [copy = held] {});
  work.Add(10, [] {});
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace gprofhub::ci
