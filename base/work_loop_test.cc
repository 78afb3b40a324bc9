#include "base/work_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace gprofhub::base {

namespace {

using ::testing::ElementsAre;

constexpr absl::Duration kNever = absl::InfiniteDuration();

void NoError(const absl::Status& error, absl::Duration) { ADD_FAILURE() << error; }

TEST(WorkLoop, WorksOnWithoutAWaitWhileThereAreJobs) {
  WorkLoop loop({kNever, kNever, kNever});
  int jobs = 0;
  loop.Run(
      [&]() -> absl::StatusOr<bool> {
        if (++jobs == 3) loop.Stop();
        return true;
      },
      NoError);
  EXPECT_EQ(jobs, 3);
}

TEST(WorkLoop, WaitsTwiceAsLongAfterEachErrorUpToTheMost) {
  WorkLoop loop({kNever, absl::Microseconds(1), absl::Microseconds(4)});
  std::vector<absl::Duration> waits;
  int calls = 0;
  loop.Run(
      [&]() -> absl::StatusOr<bool> {
        if (++calls == 5) return true;  // a successful job
        return absl::UnavailableError("down");
      },
      [&](const absl::Status& error, absl::Duration wait) {
        EXPECT_EQ(error.message(), "down");
        waits.push_back(wait);
        if (waits.size() == 5) loop.Stop();
      });
  EXPECT_THAT(waits,
              ElementsAre(absl::Microseconds(1), absl::Microseconds(2), absl::Microseconds(4),
                          absl::Microseconds(4), absl::Microseconds(1)));
}

TEST(WorkLoop, AnErrorWhileItStopsIsNotReported) {
  WorkLoop loop({kNever, kNever, kNever});
  loop.Run(
      [&]() -> absl::StatusOr<bool> {
        loop.Stop();
        return absl::CancelledError("given back");
      },
      NoError);
}

TEST(WorkLoop, WakingEndsTheWaitForWork) {
  WorkLoop loop({kNever, kNever, kNever});
  int calls = 0;
  loop.Run(
      [&]() -> absl::StatusOr<bool> {
        if (++calls == 2) loop.Stop();
        loop.Wake();
        return false;
      },
      NoError);
  EXPECT_EQ(calls, 2);
}

TEST(WorkLoop, SaysHowLongItIsAtAJob) {
  absl::Time now = absl::UnixEpoch();
  WorkLoop loop({kNever, kNever, kNever, [&now] { return now; }});
  EXPECT_EQ(loop.BusyFor(), absl::ZeroDuration());
  loop.Run(
      [&]() -> absl::StatusOr<bool> {
        now += absl::Minutes(3);
        EXPECT_EQ(loop.BusyFor(), absl::Minutes(3));
        loop.Stop();
        return true;
      },
      NoError);
  EXPECT_EQ(loop.BusyFor(), absl::ZeroDuration());
}

TEST(WorkLoop, StoppingEndsTheWait) {
  WorkLoop loop({kNever, kNever, kNever});
  std::thread thread([&] { loop.Run([] { return false; }, NoError); });
  loop.Stop();
  thread.join();
  EXPECT_TRUE(loop.Stopping());
}

}  // namespace

}  // namespace gprofhub::base
