// A place where messages go.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "reporter/notify/messages/message.h"

namespace gprofhub::reporter {

class Channel {
 public:
  virtual ~Channel() = default;

  // Whether it wants every Message::Kind::kUpdated. People are not told twice of one thing; so
  // others get those alone that first name the commit with which it came.
  virtual bool WantsUpdates() const = 0;

  // Sends the message and gives what the channel calls the event (Message::reference); empty where
  // it has no name. Blocks; several threads may call it. The same message may come again after an
  // error: it may have arrived all the same. INVALID_ARGUMENT: it will never be taken. With any
  // other error trying again later may help, and RetryAfterOf may say when. No error holds a
  // secret.
  virtual absl::StatusOr<std::string> Send(const Message& message) = 0;
};

}  // namespace gprofhub::reporter
