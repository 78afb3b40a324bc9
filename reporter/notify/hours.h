// When a channel may be told something: quiet hours, and the hour of the weekly digest.
#pragma once

#include <optional>

#include "absl/time/time.h"

namespace gprofhub::reporter {

// Nothing is told from `from` to `to`, minutes after midnight, which may lie on the next day. With
// `weekends`, nothing is told on Saturdays and Sundays either. Equal minutes: weekends only.
struct QuietHours {
  int from = 0;
  int to = 0;
  bool weekends = false;
};

// `now`, or the end of the quiet time that it lies in. Local time is UTC + `utc_offset`.
absl::Time NextAllowed(const QuietHours& quiet, absl::Duration utc_offset, absl::Time now);

struct DigestHour {
  absl::Weekday day = absl::Weekday::monday;
  int hour = 8;
};

// The newest moment, not after `now`, at which the digest was due.
absl::Time LastDigest(const DigestHour& digest, absl::Duration utc_offset, absl::Time now);

}  // namespace gprofhub::reporter
