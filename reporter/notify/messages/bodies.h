// Message formats of chats, issues and webhooks. Names are escaped: they cannot become markup,
// links or mentions.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "reporter/notify/messages/message.h"

namespace gprofhub::reporter {

// For an incoming webhook of Slack (docs.slack.dev, Block Kit): plain text blocks.
std::string SlackBody(const Message& message);

// For an incoming webhook of Mattermost (developers.mattermost.com): one block of code.
std::string MattermostBody(const Message& message);

// An event m.room.message of Matrix, a notice (spec.matrix.org, 11.2.1), which bots do not answer.
std::string MatrixBody(const Message& message);

// The schema of docs/notifications.md: {"schema", "id", "kind", …}. Pure ASCII.
std::string WebhookBody(const Message& message);

// An issue's body in Markdown. Its first line is the hidden marker.
std::string IssueBody(const Message& message);
std::string IssueMarker(absl::string_view key);

}  // namespace gprofhub::reporter
