// The file of `gprofhub serve --notify`: channels, routes and times (docs/notifications.md).
//
// It never contains secrets, only the names of files that hold them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "proto/findings.pb.h"
#include "reporter/notify/hours.h"

namespace gprofhub::reporter {

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
  std::vector<std::string> branches = {"main"};  // globs
  absl::Duration max_age = absl::Hours(24 * 14);
  std::vector<ChannelConfig> channels;
  std::vector<RouteConfig> routes;
  std::vector<OwnersConfig> owners;
};

// INVALID_ARGUMENT "FILE: channels[2].url: …" names the first error: invalid JSON, over 1 MB, an
// unknown, repeated or missing field, a value of another type or out of range, a URL that would
// send secrets in the clear, a route to an unknown channel.
absl::StatusOr<NotifyConfig> ParseNotifyConfig(absl::string_view text, absl::string_view file);

}  // namespace gprofhub::reporter
