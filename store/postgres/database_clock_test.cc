#include "store/postgres/database_clock.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/time/clock.h"

namespace gprofhub::store::postgres {
namespace {

// Two clocks that a test sets, and how often the database's was read.
struct Clocks {
  absl::Duration here_ahead = absl::ZeroDuration();
  absl::StatusOr<absl::Duration> there_ahead = absl::ZeroDuration();
  int reads = 0;
  DatabaseClock clock{[this] { return absl::Now() + here_ahead; },
                      [this]() -> absl::StatusOr<absl::Time> {
                        ++reads;
                        if (!there_ahead.ok()) return there_ahead.status();
                        return absl::Now() + *there_ahead;
                      }};
};

bool IsAbout(absl::Duration skew, absl::Duration wanted) {
  return absl::AbsDuration(skew - wanted) < absl::Minutes(1);
}

TEST(DatabaseClockTest, ClocksThatAgreeHaveNoSkewAtAll) {
  Clocks clocks;
  clocks.there_ahead = absl::Milliseconds(300);
  EXPECT_EQ(clocks.clock.Skew(), absl::ZeroDuration());
}

TEST(DatabaseClockTest, TellsHowFarTheyDiffer) {
  Clocks ahead;
  ahead.there_ahead = absl::Hours(1);
  EXPECT_TRUE(IsAbout(ahead.clock.Skew(), absl::Hours(1)));
  Clocks behind;
  behind.here_ahead = absl::Hours(1);
  EXPECT_TRUE(IsAbout(behind.clock.Skew(), -absl::Hours(1)));
}

TEST(DatabaseClockTest, AsksAgainWhenThisClockWasSet) {
  Clocks clocks;
  clocks.clock.Skew();
  clocks.here_ahead = absl::Hours(5);
  EXPECT_TRUE(IsAbout(clocks.clock.Skew(), -absl::Hours(5)));
  EXPECT_GE(clocks.reads, 2);
}

TEST(DatabaseClockTest, KeepsWhatItKnewWhenItCannotAsk) {
  Clocks clocks;
  clocks.there_ahead = absl::Hours(1);
  clocks.clock.Skew();
  clocks.there_ahead = absl::UnavailableError("away");
  clocks.here_ahead = absl::Hours(2);
  EXPECT_TRUE(IsAbout(clocks.clock.Skew(), absl::Hours(1)));
}

}  // namespace
}  // namespace gprofhub::store::postgres
