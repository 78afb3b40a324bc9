// One message to one channel.
#pragma once

#include <string>

#include "reporter/notify/notification.h"

namespace gprofhub::reporter {

struct Message {
  enum class Kind {
    kOpened,   // first message, or first after it was closed
    kUpdated,  // new information
    kClosed,   // recovered, acknowledged or withdrawn
    kDigest,
  };
  Kind kind = Kind::kOpened;
  std::string key;            // identifies the event or digest
  std::string id;             // unique per message, the same in every attempt
  std::string reference;      // the channel's id of the event; empty: not sent yet
  Notification notification;  // unless it is a digest
  Digest digest;
};

// "opened", "updated", "closed", "digest".
absl::string_view KindName(Message::Kind kind);

}  // namespace gprofhub::reporter
