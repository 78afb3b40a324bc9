// Times as people write them on command lines.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::cli {

// A whole number of minutes, hours, days or weeks, at most 100 years: "30m", "12h", "7d", "4w".
// INVALID_ARGUMENT naming `option`.
absl::StatusOr<absl::Duration> ParseSpan(absl::string_view option, absl::string_view text);

// The same, or 0.
absl::StatusOr<absl::Duration> ParseAge(absl::string_view option, absl::string_view text);

// A day such as "2027-01-31", meaning its begin in UTC, or a time such as "2027-01-31T12:00:00Z".
// INVALID_ARGUMENT naming `option` for anything else.
absl::StatusOr<absl::Time> ParseDay(absl::string_view option, absl::string_view text);

// An end time, from a duration after `now` or a day.
absl::StatusOr<absl::Time> ParseEnd(absl::string_view option, absl::string_view text,
                                    absl::Time now);

// A start time, from a duration before `now` or a day.
absl::StatusOr<absl::Time> ParseBeginning(absl::string_view option, absl::string_view text,
                                          absl::Time now);

}  // namespace gprofhub::cli
