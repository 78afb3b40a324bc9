#include "reporter/notify/hours.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::reporter {
namespace {

absl::Time At(const std::string& text) {
  absl::Time time;
  std::string error;
  EXPECT_TRUE(absl::ParseTime("%Y-%m-%d %H:%M", text, &time, &error)) << error;
  return time;
}

constexpr QuietHours kNights = {20 * 60, 8 * 60 + 30, false};
constexpr QuietHours kNightsAndWeekends = {20 * 60, 8 * 60, true};

TEST(NextAllowed, ByDayItIsNow) {
  EXPECT_EQ(NextAllowed(kNights, {}, At("2026-11-23 08:30")), At("2026-11-23 08:30"));
  EXPECT_EQ(NextAllowed(kNights, {}, At("2026-11-23 19:59")), At("2026-11-23 19:59"));
  const absl::Time odd = At("2026-11-23 12:00") + absl::Seconds(59.5);
  EXPECT_EQ(NextAllowed(kNights, {}, odd), odd);
}

TEST(NextAllowed, AtNightItIsTheMorning) {
  EXPECT_EQ(NextAllowed(kNights, {}, At("2026-11-23 20:00")), At("2026-11-24 08:30"));
  EXPECT_EQ(NextAllowed(kNights, {}, At("2026-11-24 02:00")), At("2026-11-24 08:30"));
  EXPECT_EQ(NextAllowed(kNights, {}, At("2026-11-24 08:29")), At("2026-11-24 08:30"));
}

TEST(NextAllowed, QuietHoursMayLieWithinADay) {
  const QuietHours noon = {12 * 60, 13 * 60, false};
  EXPECT_EQ(NextAllowed(noon, {}, At("2026-11-23 12:30")), At("2026-11-23 13:00"));
  EXPECT_EQ(NextAllowed(noon, {}, At("2026-11-23 13:00")), At("2026-11-23 13:00"));
}

TEST(NextAllowed, LocalTimeCounts) {
  const absl::Duration india = absl::Hours(5) + absl::Minutes(30);
  // 20:10 local time.
  EXPECT_EQ(NextAllowed(kNights, india, At("2026-11-23 14:40")), At("2026-11-24 03:00"));
  EXPECT_EQ(NextAllowed(kNights, -absl::Hours(8), At("2026-11-23 05:00")), At("2026-11-23 16:30"));
}

TEST(NextAllowed, AWeekendEndsOnMondayMorning) {
  // 2026-11-21 is a Saturday.
  EXPECT_EQ(NextAllowed(kNightsAndWeekends, {}, At("2026-11-21 12:00")), At("2026-11-23 08:00"));
  EXPECT_EQ(NextAllowed(kNightsAndWeekends, {}, At("2026-11-20 21:00")), At("2026-11-23 08:00"));
  EXPECT_EQ(NextAllowed(kNightsAndWeekends, {}, At("2026-11-20 12:00")), At("2026-11-20 12:00"));
  const QuietHours only_weekends = {0, 0, true};
  EXPECT_EQ(NextAllowed(only_weekends, {}, At("2026-11-22 12:00")), At("2026-11-23 00:00"));
  EXPECT_EQ(NextAllowed(only_weekends, {}, At("2026-11-23 03:00")), At("2026-11-23 03:00"));
}

TEST(LastDigest, IsTheNewestThatIsPast) {
  const DigestHour monday = {absl::Weekday::monday, 8};
  EXPECT_EQ(LastDigest(monday, {}, At("2026-11-23 08:00")), At("2026-11-23 08:00"));
  EXPECT_EQ(LastDigest(monday, {}, At("2026-11-23 07:59")), At("2026-11-16 08:00"));
  EXPECT_EQ(LastDigest(monday, {}, At("2026-11-29 23:00")), At("2026-11-23 08:00"));
  EXPECT_EQ(LastDigest(monday, absl::Hours(2), At("2026-11-23 06:00")), At("2026-11-23 06:00"));
  const DigestHour sunday = {absl::Weekday::sunday, 0};
  EXPECT_EQ(LastDigest(sunday, {}, At("2026-11-28 23:59")), At("2026-11-22 00:00"));
}

}  // namespace
}  // namespace gprofhub::reporter
