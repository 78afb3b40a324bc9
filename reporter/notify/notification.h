// What is told of a change of a branch, as a value.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/query.pb.h"

namespace gprofhub::reporter {

// How a change that was told stands.
enum class NotificationStatus {
  kOpen,
  kRecovered,     // the series is back at its old level
  kAcknowledged,  // somebody said that it is all right
  kWithdrawn,     // more runs show that it was none
};

// "open", "recovered", "acknowledged", "withdrawn".
absl::string_view StatusName(NotificationStatus status);

struct Notification {
  std::string project;
  std::string branch;
  std::string configuration;
  NotificationStatus status = NotificationStatus::kOpen;
  std::string reason;               // of another status, in words
  std::vector<std::string> owners;  // of the file to blame
  v1::ChangeEvent event;
};

// The key under which an event is told once: project, branch, configuration, range of commits and
// the function that is the cause. 64 hexadecimal digits.
std::string KeyOf(const Notification& notification);

// Which keys can be about one event: "branch\nconfiguration".
std::string SeriesOf(const Notification& notification);

// The event without what a message has no room for: names are cut at 400 bytes, the functions that
// follow are left out, and of the targets the first twenty are kept.
v1::ChangeEvent Bounded(v1::ChangeEvent event);

// Whether nobody need be told of `b` who was told of `a`: they differ in no more than what each
// further run changes a little, such as shares of the CPU.
bool SaysTheSame(const Notification& a, const Notification& b);

// A notification as the store keeps it, and back. Equal ones have equal texts. INVALID_ARGUMENT for
// another text.
std::string EncodeNotification(const Notification& notification);
absl::StatusOr<Notification> DecodeNotification(absl::string_view text);

// What a digest tells: changes of one project, oldest first.
struct Digest {
  std::string project;
  std::string week;  // "2026-11-16 to 2026-11-22", the days that it is about
  std::vector<Notification> changes;
  size_t left_out = 0;  // further ones that had no room
};

// At most as many changes as a row of the store has room for.
std::string EncodeDigest(Digest digest);
absl::StatusOr<Digest> DecodeDigest(absl::string_view text);

}  // namespace gprofhub::reporter
