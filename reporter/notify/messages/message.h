// One message to one channel.
#pragma once

#include <string>

#include "reporter/notify/notification.h"

namespace gprofhub::reporter {

struct Message {
  enum class Kind {
    kOpened,   // told for the first time, or once more after it was closed
    kUpdated,  // more is known
    kClosed,   // recovered, acknowledged or withdrawn
    kDigest,
  };
  Kind kind = Kind::kOpened;
  std::string key;            // of the event, or of the digest
  std::string id;             // the same in every attempt at this message, and in no other one
  std::string reference;      // what the channel calls the event; empty: not told yet
  Notification notification;  // unless it is a digest
  Digest digest;
};

// "opened", "updated", "closed", "digest".
absl::string_view KindName(Message::Kind kind);

}  // namespace gprofhub::reporter
