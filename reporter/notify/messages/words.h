// Text of a message. All is printable text without markup: names come from profiles and are
// untrusted.
#pragma once

#include <string>

#include "reporter/notify/messages/message.h"

namespace gprofhub::reporter {

// One line: "acme/db: parse(int) is called more since 3fa41c2d0e1b", "Recovered: …". At most about
// 200 characters.
std::string MessageTitle(const Message& message);

// The title of the event, independent of its current status.
std::string EventTitle(const Notification& notification);

// Several lines, each with its line end. For a digest, one paragraph per change.
std::string MessageText(const Message& message);

}  // namespace gprofhub::reporter
