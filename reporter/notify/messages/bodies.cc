#include "reporter/notify/messages/bodies.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/printable.h"
#include "reporter/notify/messages/words.h"
#include "reporter/rendering/events.h"

namespace gprofhub::reporter {
namespace {

using Json = nlohmann::ordered_json;

// Slack's limits (characters) of a header and of a section.
constexpr size_t kMostHeader = 150;
constexpr size_t kMostSection = 2900;
constexpr size_t kMostText = 12000;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

// Slack's control characters, which must be escaped everywhere.
std::string SlackText(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
}

// Lines in a fenced code block. No line can close the fence.
std::string CodeBlock(const std::string& text) {
  return absl::StrCat("```text\n", absl::StrReplaceAll(text, {{"`", "'"}}), "```\n");
}

Json ChangeJson(const Notification& notification) {
  Json json;
  json["project"] = notification.project;
  json["branch"] = notification.branch;
  json["configuration"] = notification.configuration;
  json["status"] = StatusName(notification.status);
  json["reason"] =
      notification.reason.empty() ? Json(nullptr) : Json(base::Printable(notification.reason));
  json["owners"] = notification.owners;
  json["event"] = ChangeEventJson(notification.event);
  return json;
}

}  // namespace

std::string SlackBody(const Message& message) {
  const std::string title = MessageTitle(message);
  const auto plain = [](const std::string& text) {
    return Json{{"type", "plain_text"}, {"text", SlackText(text)}, {"emoji", false}};
  };
  Json blocks = Json::array();
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
               {"m.mentions", Json::object()}});
}

std::string WebhookBody(const Message& message) {
  Json json;
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
    json["changes"] = Json::array();
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

}  // namespace gprofhub::reporter
