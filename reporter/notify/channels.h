// Notification channels (mail, HTTP, issues) and the messages that they send.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/http/http.h"
#include "reporter/forge/forge.h"
#include "reporter/notify/notification.h"

namespace gprofhub::reporter {

// One message to one channel.

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

// Interface of a notification channel.

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

// Channels that send messages over HTTP.

// Posts WebhookBody. The headers, of which the last authenticates sender and time:
//   Idempotency-Key:       Message::id
//   X-Gprofhub-Timestamp:  seconds since 1970
//   X-Gprofhub-Signature:  "sha256=" HmacSha256Hex(secret, TIMESTAMP "." BODY)
std::unique_ptr<Channel> MakeWebhookChannel(std::string url, std::string secret,
                                            base::HttpClient http, std::function<absl::Time()> now);

// Post to an incoming webhook. Its URL is a secret and never part of an error.
std::unique_ptr<Channel> MakeSlackChannel(std::string url, base::HttpClient http);
std::unique_ptr<Channel> MakeMattermostChannel(std::string url, base::HttpClient http);

// `room` is "!ID:SERVER". Message::id is the transaction id, so that the home server drops a
// message that is sent again.
std::unique_ptr<Channel> MakeMatrixChannel(std::string home_server, const std::string& room,
                                           std::string token, base::HttpClient http);

// Maintains one issue in the project's repository per event: opens, updates and closes it.

// `forges` by project. An event's issue is identified by a hidden line in its body, so that it is
// found again if the response to its creation was lost. An issue that a person closed stays closed
// until the change recurs. A deleted issue is not created again. A digest is a separate issue,
// which is closed at once.
std::unique_ptr<Channel> MakeIssueChannel(std::map<std::string, std::shared_ptr<Forge>> forges);

// E-mail through SMTP (RFC 5321).

// Sends a mail through a server. Errors are Channel::Send's.
using MailSender = std::function<absl::Status(
    const std::string& from, const std::vector<std::string>& to, const std::string& text)>;

struct SmtpOptions {
  std::string url;   // "smtp://HOST:PORT" or "smtps://HOST:PORT"
  std::string user;  // empty: no log-in
  std::string password;
  std::string ca_file;  // PEM; empty: the system's certificates
  absl::Duration timeout = absl::Seconds(60);
};

// Uses libcurl. Except on loopback, connections are encrypted (STARTTLS, or smtps), or fail.
// Certificates and host names are verified. Thread-safe.
MailSender MakeSmtpSender(const SmtpOptions& options);

// Addresses must satisfy IsMailAddress.
std::unique_ptr<Channel> MakeMailChannel(std::string from, std::vector<std::string> to,
                                         MailSender sender, std::function<absl::Time()> now);

// Message formats of chats, issues and webhooks. Names are escaped: they cannot become markup,
// links or mentions.

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

// A message as an e-mail (RFC 5322, MIME).

// The whole mail, with CR LF line ends. The subject is an encoded word and the body base64 (RFC
// 2047, RFC 2045), which excludes header and SMTP injection and limits line lengths. `from` and
// `to` are addresses (mail_address.h). Mails of one event form one thread.
std::string MailText(const Message& message, const std::string& from,
                     const std::vector<std::string>& to, absl::Time now);

// Text of a message. All is printable text without markup: names come from profiles and are
// untrusted.

// One line: "acme/db: parse(int) is called more since 3fa41c2d0e1b", "Recovered: …". At most about
// 200 characters.
std::string MessageTitle(const Message& message);

// The title of the event, independent of its current status.
std::string EventTitle(const Notification& notification);

// Several lines, each with its line end. For a digest, one paragraph per change.
std::string MessageText(const Message& message);

}  // namespace gprofhub::reporter
