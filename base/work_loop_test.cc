#include "base/work_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"

namespace gprofhub::base {

namespace {

using ::testing::ElementsAre;

constexpr absl::Duration kNever = absl::InfiniteDuration();

void NoError(const absl::Status& error, absl::Duration) { ADD_FAILURE() << error; }

TEST(WorkLoop, WorksOnWithoutAWaitWhileThereAreJobs) {
  int jobs = 0;
  {
    absl::Notification stopped;
    WorkLoop loop(
        {kNever, kNever, kNever},
        [&](const StopToken&) {
          if (++jobs == 3) {
            loop.Stop();
            stopped.Notify();
          }
          return true;
        },
        NoError);
    stopped.WaitForNotification();
  }
  EXPECT_EQ(jobs, 3);
}

TEST(WorkLoop, WaitsTwiceAsLongAfterEachErrorUpToTheMost) {
  std::vector<absl::Duration> waits;
  {
    int calls = 0;
    absl::Notification stopped;
    WorkLoop loop(
        {kNever, absl::Microseconds(1), absl::Microseconds(4)},
        [&](const StopToken&) -> absl::StatusOr<bool> {
          if (++calls == 5) return true;  // a successful job
          return absl::UnavailableError("down");
        },
        [&](const absl::Status& error, absl::Duration wait) {
          EXPECT_EQ(error.message(), "down");
          waits.push_back(wait);
          if (waits.size() == 5) {
            loop.Stop();
            stopped.Notify();
          }
        });
    stopped.WaitForNotification();
  }
  EXPECT_THAT(waits,
              ElementsAre(absl::Microseconds(1), absl::Microseconds(2), absl::Microseconds(4),
                          absl::Microseconds(4), absl::Microseconds(1)));
}

TEST(WorkLoop, AnErrorWhileItStopsIsNotReported) {
  absl::Notification began;
  WorkLoop loop(
      {kNever, kNever, kNever},
      [&](const StopToken& stopping) {
        began.Notify();
        EXPECT_TRUE(stopping.WaitFor(kNever)) << "the job learns that the loop stops";
        return absl::CancelledError("given back");
      },
      NoError);
  began.WaitForNotification();
}

TEST(WorkLoop, WakingEndsTheWaitForWork) {
  int calls = 0;
  absl::Notification again;
  WorkLoop loop(
      {kNever, kNever, kNever},
      [&](const StopToken&) {
        if (++calls == 2) again.Notify();
        if (calls == 1) loop.Wake();
        return false;
      },
      NoError);
  again.WaitForNotification();
}

TEST(WorkLoop, SaysHowLongItIsAtAJob) {
  absl::Time now = absl::UnixEpoch();
  absl::Notification worked;
  WorkLoop loop(
      {kNever, kNever, kNever, [&now] { return now; }},
      [&](const StopToken&) {
        EXPECT_EQ(loop.BusyFor(), absl::ZeroDuration());
        now += absl::Minutes(3);
        EXPECT_EQ(loop.BusyFor(), absl::Minutes(3));
        worked.Notify();
        return false;
      },
      NoError);
  worked.WaitForNotification();
  while (loop.BusyFor() != absl::ZeroDuration()) std::this_thread::yield();
}

TEST(WorkLoop, DestructionEndsTheWait) {
  absl::Notification looked;
  const WorkLoop loop(
      {kNever, kNever, kNever},
      [&](const StopToken&) {
        looked.Notify();
        return false;
      },
      NoError);
  looked.WaitForNotification();
}

TEST(WorkLoops, AreWokenAndStoppedTogether) {
  absl::Notification began[2];
  std::optional<WorkLoops> loops(std::in_place);
  for (absl::Notification& mine : began) {
    loops->Add(std::make_unique<WorkLoop>(
        WorkLoop::Waits{kNever, kNever, kNever, [] { return absl::UnixEpoch(); }},
        [&mine, calls = 0](const StopToken& stopping) mutable {
          if (++calls == 1) return false;
          mine.Notify();
          return stopping.WaitFor(kNever);
        },
        NoError));
  }
  EXPECT_EQ(loops->BusyFor(), absl::ZeroDuration());
  loops->Wake();
  for (const absl::Notification& one : began) one.WaitForNotification();
  loops.reset();
}

}  // namespace

}  // namespace gprofhub::base
