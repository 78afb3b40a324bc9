// What commands print where no gprofhub server answers.
#include <arpa/inet.h>
#include <grpc/support/log.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "cli/commands.h"
#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {

namespace {

// Does something to each connection to a port of loopback, which this closes then.
class OtherServer {
 public:
  using Peer = std::function<void(int fd)>;

  explicit OtherServer(Peer peer, bool listens = true) : peer_(std::move(peer)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &length), 0);
    port_ = ntohs(address.sin_port);
    if (!listens) return;  // connections are refused
    EXPECT_EQ(listen(fd_, SOMAXCONN), 0);
    thread_ = std::thread([this] {
      for (int fd = accept(fd_, nullptr, nullptr); fd >= 0; fd = accept(fd_, nullptr, nullptr)) {
        peer_(fd);
        close(fd);
      }
    });
  }
  ~OtherServer() {
    shutdown(fd_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    close(fd_);
  }
  OtherServer(const OtherServer&) = delete;
  OtherServer& operator=(const OtherServer&) = delete;

  std::string address() const { return absl::StrCat("127.0.0.1:", port_); }

 private:
  const int fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const Peer peer_;
  int port_ = 0;
  std::thread thread_;
};

void Say(int fd, const std::string& bytes) { send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL); }

// Reads until the peer closes its end.
void ReadToEnd(int fd) {
  char bytes[4096];
  while (recv(fd, bytes, sizeof(bytes), 0) > 0) {
  }
}

// Reads something, then closes with what is unread: the peer gets a reset.
void CloseAfterAByte(int fd) {
  char byte = 0;
  recv(fd, &byte, 1, 0);
}

// Resets the connection at once.
void Reset(int fd) {
  const linger at_once = {1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

OtherServer::Peer Answering(const std::string& bytes) {
  return [bytes](int fd) {
    Say(fd, bytes);
    shutdown(fd, SHUT_WR);
    ReadToEnd(fd);
  };
}

// A proxy or a web server that speaks HTTP/2: settings, then HEADERS of stream 1 that end it, with
// the status and a content type (RFC 9113, 4.1; RFC 7541, 6.2.2).
OtherServer::Peer AnsweringHttp2(absl::string_view status) {
  using std::string_literals::operator""s;
  const std::string block =
      absl::StrCat("\x08\x03", status, "\0\x0c"s, "content-type", "\x09", "text/html");
  const std::string headers = absl::StrCat("\0\0"s, std::string(1, static_cast<char>(block.size())),
                                           "\x01\x05", "\0\0\0\x01"s, block);
  return [headers](int fd) {
    Say(fd, "\0\0\0\x04\0\0\0\0\0"s);
    std::string got;
    char bytes[4096];
    // HEADERS of the call: frame type 1 on stream 1.
    while (!absl::StrContains(got, "application/grpc")) {
      const ssize_t count = recv(fd, bytes, sizeof(bytes), 0);
      if (count <= 0) return;
      got.append(bytes, static_cast<size_t>(count));
    }
    Say(fd, headers);
    ReadToEnd(fd);
  };
}

struct NoAnswer {
  std::string kind;
  OtherServer::Peer peer;
  std::string message;  // "@" is the address
  bool is_tls = false;  // the address is of https
};

// Every command that asks a server, with the least that it asks for.
std::vector<std::pair<AddCommand, std::vector<std::string>>> AskingCommands() {
  return {{AddRunsCommand, {"runs"}},
          {AddChangesCommand, {"changes"}},
          {AddStatsCommand, {"stats"}},
          {AddReportCommand, {"report"}},
          {AddCheckCommand, {"check"}},
          {AddRerunListCommand, {"rerun-list"}},
          {AddExplainCommand, {"explain", "f00d"}},
          {AddGetCommand, {"get", "//:test"}},
          {AddTrendCommand, {"trend", "parse"}},
          {AddAckCommand, {"ack", "--list"}},
          {AddHealthCommand, {"health"}}};
}

void ExpectOneSentence(const CommandResult& result, const std::string& address,
                       const std::string& message) {
  EXPECT_TRUE(absl::StartsWith(result.err, absl::StrCat("gprofhub: ", message))) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  const std::vector<std::string> parts = absl::StrSplit(result.err, address);
  EXPECT_EQ(parts.size(), 2u) << "the address once: " << result.err;
  for (const char* jargon : {"last error", "ipv4:", "UNKNOWN", "UNAVAILABLE", "UNIMPLEMENTED",
                             "header", "recvmsg", "C-ares", "SSL_"}) {
    EXPECT_FALSE(absl::StrContains(result.err, jargon)) << jargon << ": " << result.err;
  }
  EXPECT_EQ(result.out, "");
}

std::vector<NoAnswer> KindsOfNoAnswer() {
  const std::string none = "no gprofhub server answers at @: ";
  const auto closes = [](int) {};
  const std::string http = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
  const std::string no_tls = "@ does not use TLS: leave out https:// of the address";
  return {
      {"closed", closes, none + "the connection was closed"},
      {"reset", Reset, none + "the connection was closed"},
      {"closed after a byte", CloseAfterAByte, none + "the connection was closed"},
      {"a web server", Answering(http), none + "an HTTP/1 server answers there, not gRPC"},
      {"ssh", Answering("SSH-2.0-OpenSSH_9.2\r\n"), none + "what answers there is not gRPC"},
      {"404", AnsweringHttp2("404"), "@ is not the address of a gprofhub server: HTTP status 404"},
      {"401", AnsweringHttp2("401"), "@ refused the request: HTTP status 401 of a proxy"},
      {"403", AnsweringHttp2("403"), "@ refused the request: HTTP status 403 of a proxy"},
      {"502", AnsweringHttp2("502"), none + "HTTP status 502"},
      {"a web server, asked with TLS", Answering(http), no_tls, true},
      {"closed, asked with TLS", closes, no_tls, true}};
}

// gRPC's own log is silent, as in the program (cli/commands_main.cc).
class NoAnswerTest : public testing::Test {
 protected:
  NoAnswerTest() {
    gpr_set_log_function([](gpr_log_func_args*) {});
  }
  ~NoAnswerTest() override { gpr_set_log_function(nullptr); }
};

TEST_F(NoAnswerTest, EachKindIsOneSentenceOfEachCommand) {
  for (const NoAnswer& kind : KindsOfNoAnswer()) {
    for (auto [add, words] : AskingCommands()) {
      const OtherServer server(kind.peer);
      const std::string address = absl::StrCat(kind.is_tls ? "https://" : "", server.address());
      words.insert(words.end(), {"--server", address});
      const CommandResult result = RunCommandLine({add}, words);
      SCOPED_TRACE(absl::StrCat(words[0], ": ", kind.kind));
      EXPECT_EQ(result.exit_code, kind.kind == "404" ? kExitFailure : kExitUnavailable);
      ExpectOneSentence(result, server.address(),
                        absl::StrReplaceAll(kind.message, {{"@", address}}));
    }
  }
}

TEST_F(NoAnswerTest, ARefusedConnectionAndAnUnknownHostAreOneSentence) {
  const OtherServer refuses(nullptr, /*listens=*/false);
  for (auto [add, words] : AskingCommands()) {
    SCOPED_TRACE(words[0]);
    for (const std::string& address :
         {refuses.address(), std::string("no-such-host.invalid:7070")}) {
      std::vector<std::string> asked = words;
      asked.insert(asked.end(), {"--server", address});
      const CommandResult result = RunCommandLine({add}, asked);
      EXPECT_EQ(result.exit_code, kExitUnavailable);
      ExpectOneSentence(
          result, address,
          absl::StrCat("no gprofhub server answers at ", address, ": ",
                       address == refuses.address() ? "connection refused" : "unknown host"));
    }
  }
}

TEST_F(NoAnswerTest, ASilentServerIsOneSentenceAfterTheDeadline) {
  const OtherServer silent(ReadToEnd);
  const CommandResult result =
      RunCommandLine({AddHealthCommand}, {"health", "--server", silent.address()});
  EXPECT_EQ(result.exit_code, kExitUnavailable);
  ExpectOneSentence(result, silent.address(),
                    absl::StrCat(silent.address(), " did not answer within 5s"));
}

}  // namespace

}  // namespace gprofhub::cli
