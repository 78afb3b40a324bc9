#include "reporter/notify/channels.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/hash.h"
#include "base/http/percent_coding.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "reporter/findings/text.h"
#include "reporter/forge/forge.h"
#include "reporter/forge/rest.h"
#include "reporter/posting/posting.h"
#include "reporter/rendering/json.h"

namespace gprofhub::reporter {

namespace {

constexpr size_t kMostCharacters = 200;

std::string Short(absl::string_view text, size_t characters = kMostCharacters) {
  return base::Shortened(base::Printable(text), characters);
}

std::string ShortName(const v1::Release& release) {
  return release.commit().empty() ? absl::StrCat("run ", Short(release.run_id(), 20))
                                  : Short(release.commit().substr(0, 12), 12);
}

absl::string_view WhatHappened(const v1::Finding& cause) {
  const bool calls = cause.metric() == v1::Finding::CALLS;
  switch (cause.verdict()) {
    case v1::Finding::NEW:
      return "is called anew";
    case v1::Finding::VANISHED:
      return "is not called any more";
    case v1::Finding::IMPROVED:
      return calls ? "is called less" : "takes less time";
    default:
      return calls ? "is called more" : "takes more time";
  }
}

std::string Since(const v1::ChangeEvent& event) {
  std::string words = absl::StrCat("since ", ShortName(event.at()));
  if (event.at().unix_ms() != 0) {
    absl::StrAppend(
        &words, absl::FormatTime(" of %Y-%m-%d %H:%M UTC",
                                 absl::FromUnixMillis(event.at().unix_ms()), absl::UTCTimeZone()));
  }
  absl::StrAppend(&words, ", after ", ShortName(event.last_before()));
  if (event.commits() > 1) absl::StrAppend(&words, ": one of ", event.commits(), " commits");
  return words;
}

std::string Place(const v1::Site& site) {
  if (site.file().empty()) return "";
  return site.line() == 0 ? Short(site.file()) : absl::StrCat(Short(site.file()), ":", site.line());
}

// "introduced in b332cd50f5c4: Look each word up twice (A. Uthor, 2026-11-23)", shorter if fields
// are unknown.
std::string CulpritWords(const v1::Culprit& culprit) {
  std::string words = absl::StrCat("introduced in ", Short(culprit.commit().substr(0, 12), 12));
  if (!culprit.subject().empty()) absl::StrAppend(&words, ": ", Short(culprit.subject(), 100));
  std::vector<std::string> more;
  if (!culprit.author().empty()) more.push_back(Short(culprit.author(), 60));
  if (!culprit.date().empty()) more.push_back(Short(culprit.date(), 10));
  return more.empty() ? words : absl::StrCat(words, " (", absl::StrJoin(more, ", "), ")");
}

std::string Owners(const Notification& notification) {
  std::string words;
  for (const std::string& owner : notification.owners) {
    absl::StrAppend(&words, words.empty() ? "" : ", ", Short(owner, 60));
  }
  return words;
}

std::string EventText(const Notification& notification) {
  const v1::ChangeEvent& event = notification.event;
  std::string text = absl::StrCat(DescribeFinding(event.cause()), "\n", Since(event), "\n");
  if (event.has_culprit()) {
    absl::StrAppend(&text, CulpritWords(event.culprit()), "\n");
  } else if (!event.at().subject().empty()) {
    absl::StrAppend(&text, ShortName(event.at()), ": ", Short(event.at().subject(), 100), "\n");
  }
  if (const std::string place = Place(event.cause().site()); !place.empty()) {
    absl::StrAppend(&text, "at ", place, "\n");
  }
  if (event.following_functions() > 0) {
    absl::StrAppend(&text, event.following_functions(),
                    event.following_functions() == 1 ? " other function" : " other functions",
                    " changed there, too\n");
  }
  if (event.targets_size() > 1) {
    absl::StrAppend(&text, "in ", event.targets_size(), " tests\n");
  }
  if (const std::string owners = Owners(notification); !owners.empty()) {
    absl::StrAppend(&text, "owners: ", owners, "\n");
  }
  absl::StrAppend(&text, "branch ", Short(notification.branch, 80), ", configuration ",
                  Short(notification.configuration, 80), "\n");
  if (notification.status != NotificationStatus::kOpen) {
    absl::StrAppend(&text, StatusName(notification.status), ": ", Short(notification.reason), "\n");
  }
  return text;
}

absl::string_view Prefix(const Message& message) {
  switch (message.kind) {
    case Message::Kind::kUpdated:
      return "More is known: ";
    case Message::Kind::kClosed:
      switch (message.notification.status) {
        case NotificationStatus::kAcknowledged:
          return "Acknowledged: ";
        case NotificationStatus::kWithdrawn:
          return "Withdrawn: ";
        default:
          return "Recovered: ";
      }
    default:
      return "";
  }
}

}  // namespace

absl::string_view KindName(Message::Kind kind) {
  switch (kind) {
    case Message::Kind::kOpened:
      return "opened";
    case Message::Kind::kUpdated:
      return "updated";
    case Message::Kind::kClosed:
      return "closed";
    case Message::Kind::kDigest:
      return "digest";
  }
  return "opened";
}

std::string EventTitle(const Notification& notification) {
  const v1::Finding& cause = notification.event.cause();
  const std::string& name =
      cause.function_display().empty() ? cause.function() : cause.function_display();
  return absl::StrCat(Short(notification.project, 40), ": ",
                      base::Shortened(FunctionName(name), 100), " ", WhatHappened(cause), " since ",
                      ShortName(notification.event.at()));
}

std::string MessageTitle(const Message& message) {
  if (message.kind != Message::Kind::kDigest) {
    return absl::StrCat(Prefix(message), EventTitle(message.notification));
  }
  const Digest& digest = message.digest;
  const size_t changes = digest.changes.size() + digest.left_out;
  return absl::StrCat(Short(digest.project, 40), ": ", changes,
                      changes == 1 ? " change" : " changes", " from ", Short(digest.week, 40));
}

std::string MessageText(const Message& message) {
  if (message.kind != Message::Kind::kDigest) return EventText(message.notification);
  std::string text;
  for (const Notification& change : message.digest.changes) {
    absl::StrAppend(&text, text.empty() ? "" : "\n", EventText(change));
  }
  if (message.digest.left_out > 0) {
    absl::StrAppend(&text, "\nand ", message.digest.left_out, " more\n");
  }
  return text;
}

namespace {

using OrderedJson = nlohmann::ordered_json;

// Slack's limits (characters) of a header and of a section.
constexpr size_t kMostHeader = 150;
constexpr size_t kMostSection = 2900;
constexpr size_t kMostText = 12000;

std::string Dump(const OrderedJson& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/true, OrderedJson::error_handler_t::replace);
}

// Slack's control characters, which must be escaped everywhere.
std::string SlackText(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
}

// Lines in a fenced code block. No line can close the fence.
std::string CodeBlock(const std::string& text) {
  return absl::StrCat("```text\n", absl::StrReplaceAll(text, {{"`", "'"}}), "```\n");
}

OrderedJson ChangeJson(const Notification& notification) {
  OrderedJson json;
  json["project"] = notification.project;
  json["branch"] = notification.branch;
  json["configuration"] = notification.configuration;
  json["status"] = StatusName(notification.status);
  json["reason"] = notification.reason.empty() ? OrderedJson(nullptr)
                                               : OrderedJson(base::Printable(notification.reason));
  json["owners"] = notification.owners;
  json["event"] = MessageJson(notification.event);
  return json;
}

}  // namespace

std::string SlackBody(const Message& message) {
  const std::string title = MessageTitle(message);
  const auto plain = [](const std::string& text) {
    return OrderedJson{{"type", "plain_text"}, {"text", SlackText(text)}, {"emoji", false}};
  };
  OrderedJson blocks = OrderedJson::array();
  // The limits apply to the escaped text.
  blocks.push_back({{"type", "header"}, {"text", plain(base::Shortened(title, kMostHeader / 3))}});
  blocks.push_back({{"type", "section"},
                    {"text", plain(base::Shortened(absl::StrCat(title, "\n", MessageText(message)),
                                                   kMostSection / 3))}});
  return Dump({{"text", SlackText(title)}, {"blocks", blocks}});
}

std::string MattermostBody(const Message& message) {
  const std::string text = absl::StrCat(MessageTitle(message), "\n", MessageText(message));
  return Dump({{"text", CodeBlock(base::Shortened(text, kMostText) + "\n")}});
}

std::string MatrixBody(const Message& message) {
  const std::string text = absl::StrCat(MessageTitle(message), "\n", MessageText(message));
  return Dump({{"msgtype", "m.notice"},
               {"body", base::Shortened(text, kMostText)},
               {"m.mentions", OrderedJson::object()}});
}

std::string WebhookBody(const Message& message) {
  OrderedJson json;
  json["schema"] = 1;
  json["id"] = message.id;
  json["kind"] = KindName(message.kind);
  json["key"] = message.key;
  json["title"] = MessageTitle(message);
  if (message.kind != Message::Kind::kDigest) {
    json["change"] = ChangeJson(message.notification);
  } else {
    json["project"] = message.digest.project;
    json["week"] = message.digest.week;
    json["changes"] = OrderedJson::array();
    for (const Notification& change : message.digest.changes) {
      json["changes"].push_back(ChangeJson(change));
    }
    json["left_out"] = message.digest.left_out;
  }
  return Dump(json);
}

std::string IssueMarker(absl::string_view key) {
  return absl::StrCat("<!-- gprofhub:event:", key, " -->");
}

std::string IssueBody(const Message& message) {
  return absl::StrCat(
      IssueMarker(message.key), "\n", CodeBlock(MessageText(message)),
      "\ngprofhub keeps this text up to date, and closes the issue when the change has gone or is "
      "acknowledged. `gprofhub changes` shows it, too.\n");
}

namespace {

constexpr size_t kQuotedCharacters = 100;

// The response's message, unless it contains the secret.
std::string Said(const base::HttpResponse& response, const std::string& secret) {
  if (response.body.empty() || absl::StrContains(response.body, secret)) return "";
  return absl::StrCat(" ", base::Shortened(base::Printable(response.body), kQuotedCharacters));
}

absl::Status ToStatus(const char* what, const absl::StatusOr<base::HttpResponse>& answer,
                      const std::string& secret) {
  // The HTTP client's message contains the URL, which may be a secret.
  if (absl::IsInvalidArgument(answer.status())) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": the URL may not be called"));
  }
  if (answer.ok() && answer->status >= 200 && answer->status < 300) return absl::OkStatus();
  const std::string why = answer.ok()
                              ? absl::StrCat(what, ": ", answer->status, Said(*answer, secret))
                              : absl::StrCat(what, ": no answer (",
                                             absl::StatusCodeToString(answer.status().code()), ")");
  const RetryDecision decision =
      DecideRetry(answer, /*idempotent=*/false, /*attempt=*/1, absl::Now(), RetryPolicy());
  if (decision.kind != RetryDecision::Kind::kDone) {
    return WithRetryAfter(absl::UnavailableError(why), decision.wait);
  }
  if (!answer.ok()) return absl::UnavailableError(why);
  switch (answer->status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return absl::InvalidArgumentError(why);
    default:
      // Retried, because an operator may fix the address, the token or the receiver. Redirects are
      // not followed.
      return absl::FailedPreconditionError(why);
  }
}

// Converts a message to one request.
using MakeRequest = std::function<base::HttpRequest(const Message&)>;

class HttpChannel final : public Channel {
 public:
  HttpChannel(const char* what, bool updates, std::string secret, MakeRequest request,
              base::HttpClient http)
      : what_(what),
        updates_(updates),
        secret_(std::move(secret)),
        request_(std::move(request)),
        http_(std::move(http)) {}

  bool WantsUpdates() const override { return updates_; }

  absl::StatusOr<std::string> Send(const Message& message) override {
    base::HttpRequest request = request_(message);
    request.headers["Content-Type"] = "application/json";
    request.headers["User-Agent"] = "gprofhub";
    RETURN_IF_ERROR(ToStatus(what_, http_(request), secret_));
    return std::string();
  }

 private:
  const char* const what_;
  const bool updates_;
  const std::string secret_;
  const MakeRequest request_;
  const base::HttpClient http_;
};

}  // namespace

std::unique_ptr<Channel> MakeWebhookChannel(std::string url, std::string secret,
                                            base::HttpClient http,
                                            std::function<absl::Time()> now) {
  MakeRequest request = [url = std::move(url), secret,
                         now = std::move(now)](const Message& message) {
    base::HttpRequest made{"POST", url, {}, WebhookBody(message)};
    const std::string timestamp = absl::StrCat(absl::ToUnixSeconds(now()));
    made.headers["Idempotency-Key"] = message.id;
    made.headers["X-Gprofhub-Timestamp"] = timestamp;
    made.headers["X-Gprofhub-Signature"] = absl::StrCat(
        "sha256=", base::HmacSha256Hex(secret, absl::StrCat(timestamp, ".", made.body)));
    return made;
  };
  return std::make_unique<HttpChannel>("webhook", true, secret, std::move(request),
                                       std::move(http));
}

std::unique_ptr<Channel> MakeSlackChannel(std::string url, base::HttpClient http) {
  MakeRequest request = [url](const Message& message) {
    return base::HttpRequest{"POST", url, {}, SlackBody(message)};
  };
  return std::make_unique<HttpChannel>("slack", false, url, std::move(request), std::move(http));
}

std::unique_ptr<Channel> MakeMattermostChannel(std::string url, base::HttpClient http) {
  MakeRequest request = [url](const Message& message) {
    return base::HttpRequest{"POST", url, {}, MattermostBody(message)};
  };
  return std::make_unique<HttpChannel>("mattermost", false, url, std::move(request),
                                       std::move(http));
}

std::unique_ptr<Channel> MakeMatrixChannel(std::string home_server, const std::string& room,
                                           std::string token, base::HttpClient http) {
  MakeRequest request = [base = absl::StrCat(home_server, "/_matrix/client/v3/rooms/",
                                             base::PercentEncoded(room), "/send/m.room.message/"),
                         token](const Message& message) {
    return base::HttpRequest{"PUT",
                             absl::StrCat(base, message.id),
                             {{"Authorization", absl::StrCat("Bearer ", token)}},
                             MatrixBody(message)};
  };
  return std::make_unique<HttpChannel>("matrix", false, token, std::move(request), std::move(http));
}

namespace {

// GitHub's limit is 256, GitLab's 255.
constexpr size_t kMostTitle = 250;

class IssueChannel final : public Channel {
 public:
  explicit IssueChannel(std::map<std::string, std::shared_ptr<Forge>> forges)
      : forges_(std::move(forges)) {}

  bool WantsUpdates() const override { return true; }

  absl::StatusOr<std::string> Send(const Message& message) override {
    const bool digest = message.kind == Message::Kind::kDigest;
    const std::string& project = digest ? message.digest.project : message.notification.project;
    const auto forge = forges_.find(project);
    Issues* const issues = forge == forges_.end() ? nullptr : forge->second->issues();
    if (issues == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("issue: the server knows no repository with issues of ", project));
    }
    // The title stays that of the event: people search for it.
    const std::string title = base::Shortened(
        digest ? MessageTitle(message) : EventTitle(message.notification), kMostTitle);
    const std::string body = IssueBody(message);
    absl::StatusOr<std::string> number = Find(*issues, message);
    if (!number.ok()) return number.status();
    if (number->empty()) {
      if (message.kind == Message::Kind::kClosed) return std::string();
      number = issues->Create(title, body);
      if (!number.ok() || !digest) return number;
    }
    const absl::Status edited = issues->Edit(*number, title, body, StateAfter(message.kind));
    if (!edited.ok() && !absl::IsNotFound(edited)) return edited;
    return number;
  }

 private:
  static IssueState StateAfter(Message::Kind kind) {
    switch (kind) {
      case Message::Kind::kOpened:
        return IssueState::kOpen;
      case Message::Kind::kUpdated:
        return IssueState::kAsItIs;
      case Message::Kind::kClosed:
      case Message::Kind::kDigest:
        return IssueState::kClosed;
    }
    return IssueState::kAsItIs;
  }

  // The event's issue; empty if there is none. Markers written by other accounts are ignored.
  static absl::StatusOr<std::string> Find(Issues& issues, const Message& message) {
    if (!message.reference.empty()) return message.reference;
    ASSIGN_OR_RETURN(const std::vector<Issue> list, issues.List());
    for (const Issue& issue : list) {
      if (issue.own && absl::StartsWith(issue.body, IssueMarker(message.key))) return issue.number;
    }
    return std::string();
  }

  const std::map<std::string, std::shared_ptr<Forge>> forges_;
};

}  // namespace

std::unique_ptr<Channel> MakeIssueChannel(std::map<std::string, std::shared_ptr<Forge>> forges) {
  return std::make_unique<IssueChannel>(std::move(forges));
}

namespace {

// A line with an encoded word has at most 76 characters: "Subject: ", and 12 around 52 of base64,
// which encode 39 bytes.
constexpr size_t kWordBytes = 39;
constexpr size_t kLineCharacters = 76;

// The text as encoded words, one per line, split between characters.
std::string EncodedWords(absl::string_view text) {
  std::string words;
  while (!text.empty()) {
    size_t size = std::min(text.size(), kWordBytes);
    while (size < text.size() && size > 1 && (text[size] & 0xC0) == 0x80) --size;
    absl::StrAppend(&words, words.empty() ? "" : "\r\n ", "=?utf-8?B?",
                    absl::Base64Escape(text.substr(0, size)), "?=");
    text.remove_prefix(size);
  }
  return words;
}

std::string Base64Lines(absl::string_view text) {
  const std::string encoded = absl::Base64Escape(text);
  std::string lines;
  for (size_t at = 0; at < encoded.size(); at += kLineCharacters) {
    absl::StrAppend(&lines, encoded.substr(at, kLineCharacters), "\r\n");
  }
  return lines;
}

std::string Addresses(const std::vector<std::string>& to) {
  std::string list;
  for (const std::string& address : to) {
    absl::StrAppend(&list, list.empty() ? "" : ",\r\n ", "<", address, ">");
  }
  return list;
}

}  // namespace

std::string MailText(const Message& message, const std::string& from,
                     const std::vector<std::string>& to, absl::Time now) {
  const std::string domain = from.substr(from.find('@'));
  const std::string thread = absl::StrCat("<", message.key.substr(0, 32), domain, ">");
  std::string mail = absl::StrCat(
      "From: gprofhub <", from, ">\r\n", "To: ", Addresses(to), "\r\n",
      "Subject: ", EncodedWords(MessageTitle(message)), "\r\n",
      "Date: ", absl::FormatTime("%a, %d %b %Y %H:%M:%S +0000", now, absl::UTCTimeZone()), "\r\n",
      "Message-ID: <", message.id, domain, ">\r\n");
  if (message.kind != Message::Kind::kDigest) {
    absl::StrAppend(&mail, "References: ", thread, "\r\nIn-Reply-To: ", thread, "\r\n");
  }
  absl::StrAppend(&mail,
                  "Auto-Submitted: auto-generated\r\n"
                  "MIME-Version: 1.0\r\n"
                  "Content-Type: text/plain; charset=utf-8\r\n"
                  "Content-Transfer-Encoding: base64\r\n\r\n",
                  Base64Lines(MessageText(message)));
  return mail;
}

namespace {

class MailChannel final : public Channel {
 public:
  MailChannel(std::string from, std::vector<std::string> to, MailSender sender,
              std::function<absl::Time()> now)
      : from_(std::move(from)),
        to_(std::move(to)),
        sender_(std::move(sender)),
        now_(std::move(now)) {}

  bool WantsUpdates() const override { return false; }

  absl::StatusOr<std::string> Send(const Message& message) override {
    RETURN_IF_ERROR(sender_(from_, to_, MailText(message, from_, to_, now_())));
    return std::string();
  }

 private:
  const std::string from_;
  const std::vector<std::string> to_;
  const MailSender sender_;
  const std::function<absl::Time()> now_;
};

}  // namespace

std::unique_ptr<Channel> MakeMailChannel(std::string from, std::vector<std::string> to,
                                         MailSender sender, std::function<absl::Time()> now) {
  return std::make_unique<MailChannel>(std::move(from), std::move(to), std::move(sender),
                                       std::move(now));
}

}  // namespace gprofhub::reporter
