// Quiet hours of a channel, and the hour of the weekly digest.
#pragma once

#include <optional>

#include "absl/time/time.h"

namespace gprofhub::reporter {

// No messages from `from` to `to`, in minutes after midnight; `to` may lie on the next day. With
// `weekends`, also none on Saturdays and Sundays. Equal minutes: weekends only.
struct QuietHours {
  int from = 0;
  int to = 0;
  bool weekends = false;
};

// `now`, or the end of the quiet hours that contain it. Local time is UTC + `utc_offset`.
absl::Time NextAllowed(const QuietHours& quiet, absl::Duration utc_offset, absl::Time now);

struct DigestHour {
  absl::Weekday day = absl::Weekday::monday;
  int hour = 8;
};

// The last time, not after `now`, at which a digest was due.
absl::Time LastDigest(const DigestHour& digest, absl::Duration utc_offset, absl::Time now);

}  // namespace gprofhub::reporter
