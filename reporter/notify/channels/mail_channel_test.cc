#include "reporter/notify/channels/mail_channel.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace gprofhub::reporter {
namespace {

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
