// A notification about a change of a branch, as a value.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/query.pb.h"

namespace gprofhub::reporter {

// Status of a change after its first notification.
enum class NotificationStatus {
  kOpen,
  kRecovered,     // the series is back at its old level
  kAcknowledged,  // by a person
  kWithdrawn,     // more runs show that there was no change
};

// "open", "recovered", "acknowledged", "withdrawn".
absl::string_view StatusName(NotificationStatus status);

struct Notification {
  std::string project;
  std::string branch;
  std::string configuration;
  NotificationStatus status = NotificationStatus::kOpen;
  std::string reason;               // of a status other than open, as text
  std::vector<std::string> owners;  // owners of the file to blame
  v1::ChangeEvent event;
};

// Deduplication key of an event: hash of project, branch, configuration, range of commits and the
// function that is the cause. 64 hexadecimal digits.
std::string KeyOf(const Notification& notification);

// Keys of one series may be about one event: "branch\nconfiguration".
std::string SeriesOf(const Notification& notification);

// The event reduced to a message's size: names are cut at 400 bytes, side effects are dropped, and
// the first twenty targets are kept.
v1::ChangeEvent Bounded(v1::ChangeEvent event);

// Whether `b` needs no message after `a`: they differ only in values that change slightly with each
// further run, such as shares of CPU.
bool SaysTheSame(const Notification& a, const Notification& b);

// Serialisation of a notification for the store. Equal notifications have equal texts.
// INVALID_ARGUMENT for malformed text.
std::string EncodeNotification(const Notification& notification);
absl::StatusOr<Notification> DecodeNotification(absl::string_view text);

// Content of a digest: changes of one project, oldest first.
struct Digest {
  std::string project;
  std::string week;  // "2026-11-16 to 2026-11-22", the days it covers
  std::vector<Notification> changes;
  size_t left_out = 0;  // number of changes beyond the size limit
};

// Keeps as many changes as fit into a row of the store.
std::string EncodeDigest(Digest digest);
absl::StatusOr<Digest> DecodeDigest(absl::string_view text);

}  // namespace gprofhub::reporter
