// The file of `gprofhub serve --notify`: channels, routes and times (docs/notifications.md).
//
// It never contains secrets, only the names of files that hold them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Quiet hours of a channel, and the hour of the weekly digest.

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

enum class ChannelKind { kWebhook, kSlack, kMattermost, kMatrix, kEmail, kIssue };

// A channel. Which fields are set depends on the kind.
struct ChannelConfig {
  std::string name;
  ChannelKind kind = ChannelKind::kWebhook;
  std::string url;            // webhook; matrix: the home server; email: smtp:// or smtps://
  std::string url_file;       // slack, mattermost: the URL is a secret
  std::string secret_file;    // webhook
  std::string token_file;     // matrix
  std::string room;           // matrix
  std::string user;           // email; empty: no log-in
  std::string password_file;  // email, with a user
  std::string from;           // email
  std::vector<std::string> to;
  std::optional<QuietHours> quiet;
  std::optional<DigestHour> digest;
  bool events = true;  // false: the digest only
  absl::Duration utc_offset;
};

// A route matches events that match all of its fields. Empty lists match all.
struct RouteConfig {
  std::vector<std::string> channels;
  std::vector<std::string> projects;   // globs, like all lists here
  std::vector<std::string> targets;    // one of the event's
  std::vector<std::string> functions;  // linkage or displayed name of the cause
  std::vector<std::string> files;      // of the cause
  std::vector<std::string> owners;     // owners of the file
  std::vector<v1::Finding::Verdict> verdicts;
  double min_cpu_percent = 1;
  // The same for changes without CPU samples, as a share of calls. Not set: such changes do not
  // match.
  std::optional<double> min_calls_percent;
};

// Owners of files. The first entry that matches a file applies.
struct OwnersConfig {
  std::vector<std::string> files;  // globs
  std::vector<std::string> owners;
};

struct NotifyConfig {
  std::vector<std::string> branches;  // globs; empty: the project's main branch
  absl::Duration max_age = absl::Hours(24 * 14);
  std::vector<ChannelConfig> channels;
  std::vector<RouteConfig> routes;
  std::vector<OwnersConfig> owners;
};

// INVALID_ARGUMENT "FILE: channels[2].url: …" names the first error: invalid JSON, over 1 MB, an
// unknown, repeated or missing field, a value of another type or out of range, a URL that would
// send secrets in the clear, a route to an unknown channel.
absl::StatusOr<NotifyConfig> ParseNotifyConfig(absl::string_view text, absl::string_view file);

// Validation of mail addresses and SMTP URLs, against injection into a line-based protocol.

// Whether the text is a plain address "local@domain" (RFC 5321 without quoted local parts): ASCII,
// without blanks, controls, brackets, quotes, commas, and of at most 254 bytes.
bool IsMailAddress(absl::string_view text);

// INVALID_ARGUMENT unless the URL is "smtp://HOST[:PORT]" or "smtps://HOST[:PORT]".
absl::Status CheckSmtpUrl(absl::string_view url);

// Whether the host of such a URL is loopback: "localhost", "127.0.0.1" or "[::1]".
bool IsLoopbackSmtp(absl::string_view url);

}  // namespace gprofhub::reporter
