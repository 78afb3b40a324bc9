// Interface of a notification channel.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "reporter/notify/messages/message.h"

namespace gprofhub::reporter {

class Channel {
 public:
  virtual ~Channel() = default;

  // Whether the channel receives every Message::Kind::kUpdated. Channels read by people do not, to
  // avoid repetition: they receive only the first update that names the culprit commit.
  virtual bool WantsUpdates() const = 0;

  // Sends the message and returns the channel's id of the event (Message::reference); empty if it
  // has none. Blocks; thread-safe. Idempotent: a message that failed may have arrived, and is sent
  // again. INVALID_ARGUMENT: the channel rejects it permanently. Other errors may be retried, at
  // the time of RetryAfterOf if set. Errors do not contain secrets.
  virtual absl::StatusOr<std::string> Send(const Message& message) = 0;
};

}  // namespace gprofhub::reporter
