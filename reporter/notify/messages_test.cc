#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "reporter/notify/channels.h"

namespace gprofhub::reporter {

namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

// Function names that try to break out of any format.
constexpr char kHostile[] =
    "f\r\nBcc: victim@example.org\r\n\r\n.\r\nQUIT\r\n```\n<!channel> @channel @all "
    "[x](https://evil.example) <!-- --> <script>*_~`\x1b[2J\xE2\x80\xAE";

Message Example(const std::string& function = "parse(int)") {
  Message message;
  message.key = std::string(64, 'a');
  message.id = std::string(32, '1');
  Notification& notification = message.notification;
  notification.project = "db";
  notification.branch = "main";
  notification.configuration = "k8-opt";
  notification.owners = {"@db"};
  v1::ChangeEvent& event = notification.event;
  event.mutable_last_before()->set_commit("aaaaaaaaaaaaaaaaaaaa");
  event.mutable_at()->set_commit("bbbbbbbbbbbbbbbbbbbb");
  event.mutable_at()->set_unix_ms(1700000000000);
  event.mutable_first_after()->set_commit("bbbbbbbbbbbbbbbbbbbb");
  event.set_commits(3);
  event.set_confirmed(true);
  event.set_following_functions(12);
  event.add_targets("//db:query_test");
  v1::Finding& cause = *event.mutable_cause();
  cause.set_verdict(v1::Finding::REGRESSED);
  cause.set_metric(v1::Finding::CALLS);
  cause.set_function("_Z5parsei");
  cause.set_function_display(function);
  cause.set_target("//db:query_test");
  cause.mutable_site()->set_file("db/parse.cc");
  cause.mutable_site()->set_line(88);
  cause.set_before(10);
  cause.set_after(20);
  cause.set_effect_percent(100);
  cause.set_impact(0.042);
  return message;
}

std::vector<Message> Hostile() {
  std::vector<Message> messages;
  for (const auto kind : {Message::Kind::kOpened, Message::Kind::kClosed, Message::Kind::kDigest}) {
    Message message = Example(kHostile);
    message.kind = kind;
    message.notification.project = kHostile;
    message.notification.branch = kHostile;
    message.notification.reason = kHostile;
    message.notification.owners = {kHostile};
    message.notification.status = NotificationStatus::kAcknowledged;
    message.notification.event.mutable_cause()->mutable_site()->set_file(kHostile);
    message.notification.event.mutable_cause()->set_target(kHostile);
    message.notification.event.mutable_at()->set_commit(kHostile);
    message.notification.event.mutable_at()->set_subject(kHostile);
    messages.push_back(message);
    v1::Culprit& culprit = *message.notification.event.mutable_culprit();
    for (std::string* text : {culprit.mutable_commit(), culprit.mutable_author(),
                              culprit.mutable_date(), culprit.mutable_subject()}) {
      *text = kHostile;
    }
    message.digest = {kHostile, kHostile, {message.notification}, 1};
    messages.push_back(message);
  }
  return messages;
}

TEST(MessageText, SaysWhatSinceWhenAndWhere) {
  const Message message = Example();
  EXPECT_EQ(MessageTitle(message), "db: parse(int) is called more since bbbbbbbbbbbb");
  EXPECT_EQ(
      MessageText(message),
      "parse(int) is called 20×, was 10 (+100%), about 4.2% of the test's CPU, in //db:query_test\n"
      "since bbbbbbbbbbbb of 2023-11-14 22:13 UTC, after aaaaaaaaaaaa: one of 3 commits\n"
      "at db/parse.cc:88\n"
      "12 other functions changed there, too\n"
      "owners: @db\n"
      "branch main, configuration k8-opt\n");
}

TEST(MessageText, HasTheSubjectOfTheCommit) {
  Message message = Example();
  message.notification.event.mutable_at()->set_subject("Parse once");
  EXPECT_THAT(MessageText(message), HasSubstr("\nbbbbbbbbbbbb: Parse once\nat db/parse.cc:88\n"));
}

TEST(MessageText, SaysHowItEnded) {
  Message message = Example();
  message.kind = Message::Kind::kClosed;
  message.notification.status = NotificationStatus::kRecovered;
  message.notification.reason = "back at the old level since cccc";
  EXPECT_THAT(MessageTitle(message), testing::StartsWith("Recovered: db: parse(int)"));
  EXPECT_THAT(MessageText(message), HasSubstr("recovered: back at the old level since cccc\n"));
  message.notification.status = NotificationStatus::kWithdrawn;
  EXPECT_THAT(MessageTitle(message), testing::StartsWith("Withdrawn: "));
}

TEST(MessageText, ADigestHasAParagraphForEachChange) {
  Message message = Example();
  message.kind = Message::Kind::kDigest;
  message.digest = {
      "db", "2026-11-16 to 2026-11-22", {message.notification, message.notification}, 5};
  EXPECT_EQ(MessageTitle(message), "db: 7 changes from 2026-11-16 to 2026-11-22");
  EXPECT_THAT(MessageText(message), HasSubstr("\n\nparse(int) is called"));
  EXPECT_THAT(MessageText(message), HasSubstr("\nand 5 more\n"));
}

TEST(MessageText, HostileNamesStayInTheirLine) {
  for (const Message& message : Hostile()) {
    EXPECT_THAT(MessageTitle(message), Not(HasSubstr("\n")));
    for (const absl::string_view line : absl::StrSplit(MessageText(message), '\n')) {
      EXPECT_FALSE(absl::StartsWith(line, "Bcc") || absl::StartsWith(line, "```") ||
                   absl::StartsWith(line, "."))
          << line;
      EXPECT_FALSE(absl::StrContains(line, "\x1b")) << line;
      EXPECT_FALSE(absl::StrContains(line, "\xE2\x80\xAE")) << line;
    }
  }
}

TEST(SlackBody, IsPlainTextWithoutMentions) {
  for (const Message& message : Hostile()) {
    const Json body = Json::parse(SlackBody(message));
    EXPECT_THAT(body.at("text").get<std::string>(), Not(HasSubstr("<")));
    for (const Json& block : body.at("blocks")) {
      EXPECT_EQ(block.at("text").at("type"), "plain_text");
      const std::string text = block.at("text").at("text");
      EXPECT_THAT(text, Not(HasSubstr("<")));
      EXPECT_LE(text.size(), block.at("type") == "header" ? 150u : 3000u);
    }
  }
}

TEST(MattermostBody, IsOneBlockOfCode) {
  for (const Message& message : Hostile()) {
    const std::string text = Json::parse(MattermostBody(message)).at("text");
    ASSERT_TRUE(absl::StartsWith(text, "```text\n") && absl::EndsWith(text, "\n```\n")) << text;
    EXPECT_EQ(text.find('`', 3), text.size() - 4) << "nothing ends the block before";
  }
}

TEST(MatrixBody, IsANoticeThatMentionsNobody) {
  for (const Message& message : Hostile()) {
    const Json body = Json::parse(MatrixBody(message));
    EXPECT_EQ(body.at("msgtype"), "m.notice");
    EXPECT_EQ(body.at("m.mentions"), Json::object());
    EXPECT_FALSE(body.contains("formatted_body"));
  }
}

TEST(IssueBody, BeginsWithItsMarkerAndIsCode) {
  EXPECT_TRUE(absl::StartsWith(IssueBody(Example()), IssueMarker(Example().key) + "\n```text\n"));
  for (const Message& message : Hostile()) {
    const std::string body = IssueBody(message);
    const size_t end = body.find("```\n\ngprofhub keeps");
    ASSERT_NE(end, std::string::npos);
    EXPECT_EQ(body.find('`', body.find("```text") + 3), end);
  }
}

TEST(WebhookBody, HasTheFieldsOfTheDocumentation) {
  const Json body = Json::parse(WebhookBody(Example()));
  EXPECT_EQ(body.at("schema"), 1);
  EXPECT_EQ(body.at("kind"), "opened");
  EXPECT_EQ(body.at("key"), std::string(64, 'a'));
  const Json& change = body.at("change");
  EXPECT_EQ(change.at("status"), "open");
  EXPECT_TRUE(change.at("reason").is_null());
  EXPECT_EQ(change.at("event").at("cause").at("site").at("line"), 88);
  for (const Message& message : Hostile()) {
    const std::string text = WebhookBody(message);
    EXPECT_TRUE(Json::accept(text));
    EXPECT_EQ(text.find_first_of("\r\n\x1b"), std::string::npos);
  }
}

// The lines of the header, and the text of the body.
std::pair<std::vector<std::string>, std::string> Parts(const std::string& mail) {
  const size_t end = mail.find("\r\n\r\n");
  std::string body;
  EXPECT_TRUE(absl::Base64Unescape(mail.substr(end + 4), &body)) << mail;
  return {absl::StrSplit(mail.substr(0, end), "\r\n"), body};
}

TEST(MailText, IsAMailOfAThread) {
  const auto [header, body] =
      Parts(MailText(Example(), "perf@example.org", {"a@example.org", "b@example.org"},
                     absl::FromUnixSeconds(1700000000)));
  EXPECT_THAT(header,
              testing::IsSupersetOf({"From: gprofhub <perf@example.org>", "To: <a@example.org>,",
                                     " <b@example.org>", "Date: Tue, 14 Nov 2023 22:13:20 +0000",
                                     "Message-ID: <11111111111111111111111111111111@example.org>",
                                     "References: <aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@example.org>",
                                     "Auto-Submitted: auto-generated"}));
  EXPECT_EQ(body, MessageText(Example()));
}

TEST(MailText, HostileNamesAddNoHeaderAndNoLine) {
  for (const Message& message : Hostile()) {
    const std::string mail =
        MailText(message, "perf@example.org", {"a@example.org"}, absl::FromUnixSeconds(1));
    const auto [header, body] = Parts(mail);
    EXPECT_EQ(body, MessageText(message));
    std::vector<std::string> names;
    for (const std::string& line : header) {
      EXPECT_LE(line.size(), 78u) << line;
      EXPECT_EQ(line.find_first_of("\r\n"), std::string::npos);
      if (line[0] != ' ') names.push_back(line.substr(0, line.find(':')));
    }
    for (const std::string& name : names) EXPECT_NE(name, "Bcc");
    EXPECT_EQ(names.size(), message.kind == Message::Kind::kDigest ? 9u : 11u);
    for (const absl::string_view line : absl::StrSplit(mail, "\r\n")) {
      EXPECT_NE(line, ".");
      EXPECT_LE(line.size(), 78u);
    }
  }
}

}  // namespace

}  // namespace gprofhub::reporter
