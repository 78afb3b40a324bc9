#include "reporter/notify/channels.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/hash.h"
#include "reporter/forge/rest.h"
#include "reporter/testing/fake_forge.h"

namespace gprofhub::reporter {

namespace {

constexpr char kUrl[] = "https://hooks.example.org/T0/B0/verysecret";

// Records requests; returns scripted responses.
struct Recorded {
  std::vector<base::HttpRequest> requests;
  absl::StatusOr<base::HttpResponse> answer = base::HttpResponse{200, {}, "ok"};

  base::HttpClient Client() {
    return [this](const base::HttpRequest& request) {
      requests.push_back(request);
      return answer;
    };
  }
};

Message Example() {
  Message message;
  message.key = std::string(64, 'a');
  message.id = "id-1";
  message.notification.project = "db";
  message.notification.event.mutable_cause()->set_function("parse");
  return message;
}

TEST(WebhookChannel, SignsTimeAndBody) {
  Recorded recorded;
  const auto channel = MakeWebhookChannel(kUrl, "key", recorded.Client(),
                                          [] { return absl::FromUnixSeconds(1700000000); });
  EXPECT_TRUE(channel->WantsUpdates());
  ASSERT_TRUE(channel->Send(Example()).ok());
  ASSERT_EQ(recorded.requests.size(), 1u);
  const base::HttpRequest& request = recorded.requests[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.url, kUrl);
  EXPECT_EQ(request.headers.at("Content-Type"), "application/json");
  EXPECT_EQ(request.headers.at("Idempotency-Key"), "id-1");
  EXPECT_EQ(request.headers.at("X-Gprofhub-Timestamp"), "1700000000");
  EXPECT_EQ(request.headers.at("X-Gprofhub-Signature"),
            absl::StrCat("sha256=", base::HmacSha256Hex("key", "1700000000." + request.body)));
}

TEST(ChatChannels, PostWhatTheirChatTakes) {
  Recorded recorded;
  ASSERT_TRUE(MakeSlackChannel(kUrl, recorded.Client())->Send(Example()).ok());
  ASSERT_TRUE(MakeMattermostChannel(kUrl, recorded.Client())->Send(Example()).ok());
  ASSERT_TRUE(
      MakeMatrixChannel("https://matrix.example.org", "!room:x.org", "token", recorded.Client())
          ->Send(Example())
          .ok());
  ASSERT_EQ(recorded.requests.size(), 3u);
  EXPECT_TRUE(nlohmann::json::parse(recorded.requests[0].body).contains("blocks"));
  EXPECT_TRUE(nlohmann::json::parse(recorded.requests[1].body).contains("text"));
  const base::HttpRequest& matrix = recorded.requests[2];
  EXPECT_EQ(matrix.method, "PUT");
  EXPECT_EQ(matrix.url,
            "https://matrix.example.org/_matrix/client/v3/rooms/%21room%3Ax.org/send/"
            "m.room.message/id-1");
  EXPECT_EQ(matrix.headers.at("Authorization"), "Bearer token");
}

TEST(HttpChannels, SayWhetherTryingAgainHelps) {
  Recorded recorded;
  const auto channel = MakeSlackChannel(kUrl, recorded.Client());
  const auto code = [&](int status, const base::HttpHeaders& headers = {}) {
    recorded.answer = base::HttpResponse{status, headers, ""};
    return channel->Send(Example()).status().code();
  };
  EXPECT_EQ(code(204), absl::StatusCode::kOk);
  EXPECT_EQ(code(400), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(413), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(302), absl::StatusCode::kFailedPrecondition) << "no redirect is followed";
  EXPECT_EQ(code(403), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code(404), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code(503), absl::StatusCode::kUnavailable);
  EXPECT_EQ(code(429, {{"retry-after", "300"}}), absl::StatusCode::kUnavailable);
  EXPECT_EQ(RetryAfterOf(channel->Send(Example()).status()), absl::Seconds(300));
  recorded.answer = absl::UnavailableError("no route");
  EXPECT_EQ(channel->Send(Example()).status().code(), absl::StatusCode::kUnavailable);
  recorded.answer = absl::InvalidArgumentError("http");
  EXPECT_EQ(channel->Send(Example()).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(HttpChannels, NoErrorHasTheSecret) {
  Recorded recorded;
  const auto channel = MakeSlackChannel(kUrl, recorded.Client());
  for (const absl::StatusOr<base::HttpResponse>& answer :
       {absl::StatusOr<base::HttpResponse>(base::HttpResponse{404, {}, absl::StrCat("no ", kUrl)}),
        absl::StatusOr<base::HttpResponse>(absl::UnavailableError(absl::StrCat("POST ", kUrl))),
        absl::StatusOr<base::HttpResponse>(absl::InvalidArgumentError(kUrl))}) {
    recorded.answer = answer;
    const absl::Status status = channel->Send(Example()).status();
    EXPECT_FALSE(status.ok());
    EXPECT_FALSE(absl::StrContains(status.message(), "verysecret")) << status;
  }
}

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class IssueChannelTest : public testing::TestWithParam<std::unique_ptr<FakeForge> (*)()> {
 protected:
  static Message Example(Message::Kind kind, const std::string& reference = "") {
    Message message;
    message.kind = kind;
    message.key = std::string(64, 'a');
    message.reference = reference;
    message.notification.project = "db";
    message.notification.event.mutable_cause()->set_function("parse");
    message.digest.project = "db";
    return message;
  }

  const std::unique_ptr<FakeForge> fake_ = GetParam()();
  const std::unique_ptr<Channel> channel_ =
      MakeIssueChannel({{"db", std::shared_ptr<Forge>(fake_->Client())}});
};

TEST_P(IssueChannelTest, OpensEditsClosesAndOpensAgainOneIssue) {
  const auto number = channel_->Send(Example(Message::Kind::kOpened));
  ASSERT_TRUE(number.ok()) << number.status();
  ASSERT_THAT(fake_->issues, SizeIs(1));
  EXPECT_EQ(*channel_->Send(Example(Message::Kind::kUpdated, *number)), *number);
  EXPECT_TRUE(fake_->issues[0].open);
  EXPECT_EQ(*channel_->Send(Example(Message::Kind::kClosed, *number)), *number);
  EXPECT_FALSE(fake_->issues[0].open);
  EXPECT_EQ(*channel_->Send(Example(Message::Kind::kOpened, *number)), *number);
  EXPECT_TRUE(fake_->issues[0].open);
  EXPECT_THAT(fake_->issues, SizeIs(1));
}

TEST_P(IssueChannelTest, AnIssueThatIsThereIsFoundByItsMarker) {
  ASSERT_TRUE(channel_->Send(Example(Message::Kind::kOpened)).ok());
  ASSERT_TRUE(channel_->Send(Example(Message::Kind::kOpened)).ok());
  EXPECT_THAT(fake_->issues, SizeIs(1));
  Message other = Example(Message::Kind::kOpened);
  other.key[0] = 'b';
  ASSERT_TRUE(channel_->Send(other).ok());
  EXPECT_THAT(fake_->issues, SizeIs(2));
}

TEST_P(IssueChannelTest, AnIssueThatSomebodyDeletedIsNotMadeAgain) {
  EXPECT_TRUE(channel_->Send(Example(Message::Kind::kClosed, "99")).ok());
  EXPECT_TRUE(channel_->Send(Example(Message::Kind::kUpdated, "99")).ok());
  EXPECT_THAT(fake_->issues, IsEmpty());
}

TEST_P(IssueChannelTest, ADigestIsAClosedIssue) {
  ASSERT_TRUE(channel_->Send(Example(Message::Kind::kDigest)).ok());
  ASSERT_THAT(fake_->issues, SizeIs(1));
  EXPECT_FALSE(fake_->issues[0].open);
}

TEST_P(IssueChannelTest, AProjectWithoutARepositoryIsAnInvalidArgument) {
  Message message = Example(Message::Kind::kOpened);
  message.notification.project = "other";
  const absl::Status status = channel_->Send(message).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("other"));
}

INSTANTIATE_TEST_SUITE_P(GitHub, IssueChannelTest,
                         testing::Values(+[] { return MakeFakeGitHub(/*app=*/true); }));
INSTANTIATE_TEST_SUITE_P(GitLab, IssueChannelTest, testing::Values(&MakeFakeGitLab));

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// An SMTP server for one connection, which records the session.
class FakeSmtp {
 public:
  // Responds to lines that begin with `trouble_at` with `trouble`.
  FakeSmtp(std::string trouble_at, std::string trouble)
      : trouble_at_(std::move(trouble_at)), trouble_(std::move(trouble)) {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(fd_, 1), 0);
    socklen_t size = sizeof(address);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    url = absl::StrCat("smtp://127.0.0.1:", ntohs(address.sin_port));
    thread_ = std::thread([this] { Serve(); });
  }
  FakeSmtp() : FakeSmtp("nothing", "") {}
  ~FakeSmtp() { Join(); }

  void Join() {
    if (!thread_.joinable()) return;
    shutdown(fd_, SHUT_RDWR);
    thread_.join();
    close(fd_);
  }

  std::string url;
  std::vector<std::string> commands;
  std::string mail;  // as it was sent, dots doubled

 private:
  void Say(int peer, absl::string_view line) {
    const std::string text = absl::StrCat(line, "\r\n");
    (void)!send(peer, text.data(), text.size(), MSG_NOSIGNAL);
  }

  bool ReadLine(int peer, std::string& line) {
    line.clear();
    for (char c; recv(peer, &c, 1, 0) == 1;) {
      line += c;
      if (absl::EndsWith(line, "\r\n")) return true;
    }
    return false;
  }

  void Serve() {
    const int peer = accept(fd_, nullptr, nullptr);
    if (peer < 0) return;
    Say(peer, "220 fake");
    for (std::string line; ReadLine(peer, line);) {
      const std::string command = line.substr(0, line.size() - 2);
      commands.push_back(command);
      if (absl::StartsWith(command, trouble_at_)) {
        Say(peer, trouble_);
      } else if (command == "DATA") {
        Say(peer, "354 go on");
        while (ReadLine(peer, line) && line != ".\r\n") mail += line;
        Say(peer, "250 taken");
      } else if (command == "QUIT") {
        Say(peer, "221 bye");
        break;
      } else {
        Say(peer, "250 fine");
      }
    }
    close(peer);
  }

  const std::string trouble_at_, trouble_;
  int fd_ = -1;
  std::thread thread_;
};

Message Example(const std::string& function) {
  Message message;
  message.key = std::string(64, 'a');
  message.id = std::string(32, '1');
  message.notification.project = "db";
  message.notification.event.mutable_cause()->set_function(function);
  return message;
}

absl::Status SendTo(FakeSmtp& server, const std::string& function = "parse") {
  SmtpOptions options;
  options.url = server.url;
  const auto channel =
      MakeMailChannel("perf@example.org", {"a@example.org", "b@example.org"},
                      MakeSmtpSender(options), [] { return absl::FromUnixSeconds(1700000000); });
  EXPECT_FALSE(channel->WantsUpdates());
  const absl::Status status = channel->Send(Example(function)).status();
  server.Join();
  return status;
}

TEST(MailChannel, GivesTheMailToTheServer) {
  FakeSmtp server;
  const absl::Status status = SendTo(server);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_THAT(server.commands, SizeIs(testing::Ge(5u)));
  EXPECT_THAT(server.commands,
              testing::IsSupersetOf({"MAIL FROM:<perf@example.org>", "RCPT TO:<a@example.org>",
                                     "RCPT TO:<b@example.org>", "DATA"}));
  EXPECT_TRUE(absl::StartsWith(server.mail, "From: gprofhub <perf@example.org>\r\n"))
      << server.mail;
}

TEST(MailChannel, AHostileNameIsNoCommandAndNoHeader) {
  FakeSmtp server;
  ASSERT_TRUE(
      SendTo(server, "f\r\n.\r\nMAIL FROM:<x@y>\r\nRCPT TO:<victim@example.org>\r\nBcc: v@e").ok());
  size_t recipients = 0;
  for (const std::string& command : server.commands) {
    recipients += absl::StartsWith(command, "RCPT");
    EXPECT_FALSE(absl::StrContains(command, "victim")) << command;
  }
  EXPECT_EQ(recipients, 2u);
  for (const absl::string_view line : absl::StrSplit(server.mail, "\r\n")) {
    EXPECT_FALSE(absl::StartsWith(line, "Bcc")) << line;
    EXPECT_FALSE(absl::StartsWith(line, ".")) << line;
  }
}

TEST(MailChannel, SaysWhetherTryingAgainHelps) {
  FakeSmtp later("RCPT", "451 greylisted"), never("RCPT", "550 no such user"),
      closing("MAIL", "421 closing");
  EXPECT_EQ(SendTo(later).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(SendTo(never).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(SendTo(closing).code(), absl::StatusCode::kUnavailable);
}

TEST(MailChannel, BeyondThisMachineNothingIsSentInTheClear) {
  // Another host name that libcurl resolves to this machine.
  FakeSmtp server;
  SmtpOptions options;
  options.url = absl::StrCat("smtp://ip6-localhost.localhost:", server.url.substr(17));
  options.user = "user";
  options.password = "password";
  const absl::Status status =
      MakeSmtpSender(options)("perf@example.org", {"a@example.org"}, "From: x\r\n\r\n");
  EXPECT_FALSE(status.ok());
  server.Join();
  for (const std::string& command : server.commands) {
    EXPECT_FALSE(absl::StartsWith(command, "AUTH") || absl::StartsWith(command, "MAIL")) << command;
  }
  EXPECT_THAT(server.mail, IsEmpty());
}

TEST(MailChannel, AddressesAreCheckedOnceMore) {
  FakeSmtp server;
  SmtpOptions options;
  options.url = server.url;
  EXPECT_EQ(MakeSmtpSender(options)("perf@example.org", {"a@example.org>\r\nDATA"}, "").code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MakeSmtpSender(options)("perf\r\n@example.org", {"a@example.org"}, "").code(),
            absl::StatusCode::kInvalidArgument);
  options.url = "file:///etc/passwd";
  EXPECT_EQ(MakeSmtpSender(options)("perf@example.org", {"a@example.org"}, "").code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace

}  // namespace gprofhub::reporter
