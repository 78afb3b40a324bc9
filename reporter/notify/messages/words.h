// A message in words. All is printable text without markup: names come from profiles and are
// hostile.
#pragma once

#include <string>

#include "reporter/notify/messages/message.h"

namespace gprofhub::reporter {

// One line: "acme/db: parse(int) is called more since 3fa41c2d0e1b", "Recovered: …". At most about
// 200 characters.
std::string MessageTitle(const Message& message);

// The title of the event, whatever became of it since.
std::string EventTitle(const Notification& notification);

// Some lines, each with its end. Of a digest, a paragraph for each change.
std::string MessageText(const Message& message);

}  // namespace gprofhub::reporter
