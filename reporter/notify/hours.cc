#include "reporter/notify/hours.h"

#include "absl/time/civil_time.h"

namespace gprofhub::reporter {
namespace {

absl::TimeZone Zone(absl::Duration utc_offset) {
  return absl::FixedTimeZone(static_cast<int>(absl::ToInt64Seconds(utc_offset)));
}

bool IsWeekend(absl::CivilDay day) {
  const absl::Weekday weekday = absl::GetWeekday(day);
  return weekday == absl::Weekday::saturday || weekday == absl::Weekday::sunday;
}

// The end of the quiet hours that contain `now`, or `now`.
absl::CivilMinute EndOfQuiet(const QuietHours& quiet, absl::CivilMinute now) {
  const absl::CivilDay day(now);
  if (quiet.weekends && IsWeekend(day))
    return absl::CivilMinute(absl::NextWeekday(day, absl::Weekday::monday));
  const int minute = now.hour() * 60 + now.minute();
  if (quiet.from < quiet.to) {
    return minute >= quiet.from && minute < quiet.to ? absl::CivilMinute(day) + quiet.to : now;
  }
  if (quiet.from == quiet.to) return now;
  if (minute >= quiet.from) return absl::CivilMinute(day + 1) + quiet.to;
  return minute < quiet.to ? absl::CivilMinute(day) + quiet.to : now;
}

}  // namespace

absl::Time NextAllowed(const QuietHours& quiet, absl::Duration utc_offset, absl::Time now) {
  const absl::TimeZone zone = Zone(utc_offset);
  const absl::CivilMinute start = absl::ToCivilMinute(now, zone);
  absl::CivilMinute end = start;
  // Quiet nights and weekends may be adjacent, in either order.
  for (int i = 0; i < 3; ++i) end = EndOfQuiet(quiet, end);
  return end == start ? now : absl::FromCivil(end, zone);
}

absl::Time LastDigest(const DigestHour& digest, absl::Duration utc_offset, absl::Time now) {
  const absl::TimeZone zone = Zone(utc_offset);
  const absl::CivilDay today = absl::ToCivilDay(now, zone);
  const absl::CivilDay day = absl::PrevWeekday(today + 1, digest.day);
  const absl::CivilHour due = absl::CivilHour(day) + digest.hour;
  const absl::Time at = absl::FromCivil(due, zone);
  return at <= now ? at : absl::FromCivil(absl::CivilHour(day - 7) + digest.hour, zone);
}

}  // namespace gprofhub::reporter
