// The proxy between a client and a server that does what the client asks for.
#include "cli/proxy/proxy_server.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

namespace gprofhub::cli {
namespace {

using grpc::ByteBuffer;
using Stream = grpc::ClientAsyncReaderWriter<ByteBuffer, ByteBuffer>;

ByteBuffer Bytes(const std::string& text) {
  const grpc::Slice slice(text);
  return ByteBuffer(&slice, 1);
}

std::string Text(const ByteBuffer& bytes) {
  grpc::Slice slice;
  if (!bytes.DumpToSingleSlice(&slice).ok()) return "";
  return std::string(reinterpret_cast<const char*>(slice.begin()), slice.size());
}

// What a call saw of its metadata.
struct Seen {
  std::atomic<int> calls = 0;
  absl::Mutex mutex;
  std::multimap<std::string, std::string> metadata;
  std::chrono::system_clock::time_point deadline;
  absl::Notification arrived, cancelled;  // a call of "/test/Silent"
};

// Sends each message back. "/test/Echo" ends with the client, "/test/Refuse" ends the call at the
// first message, "/test/Three" answers one message with three, "/test/Silent" and "/test/Forgotten"
// never answer.
class EchoCall final : public grpc::ServerGenericBidiReactor {
 public:
  EchoCall(grpc::GenericCallbackServerContext* context, Seen& seen)
      : context_(context), seen_(seen) {
    ++seen.calls;
    {
      absl::MutexLock lock(&seen.mutex);
      seen.metadata.clear();
      seen.deadline = context->deadline();
      for (const auto& [name, value] : context->client_metadata()) {
        seen.metadata.emplace(std::string(name.data(), name.size()),
                              std::string(value.data(), value.size()));
      }
    }
    StartRead(&message_);
  }
  void OnReadDone(bool ok) override {
    if (context_->method() == "/test/Silent") {
      if (ok) seen_.arrived.Notify();
      return;
    }
    if (context_->method() == "/test/Forgotten") return;
    if (context_->method() == "/test/Refuse") {
      context_->AddTrailingMetadata("grpc-retry-pushback-ms", "1500");
      context_->AddTrailingMetadata("x-more", "more");
      return End({grpc::StatusCode::RESOURCE_EXHAUSTED, "come back", "details"});
    }
    if (!ok) return End(grpc::Status::OK);
    left_ = context_->method() == "/test/Three" ? 3 : 1;
    StartWrite(&message_);
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return;
    if (--left_ > 0) return StartWrite(&message_);
    if (context_->method() == "/test/Three") return End(grpc::Status::OK);
    StartRead(&message_);
  }
  void OnCancel() override {
    if (context_->method() == "/test/Silent") seen_.cancelled.Notify();
    End(grpc::Status::CANCELLED);
  }
  void OnDone() override { delete this; }

 private:
  void End(const grpc::Status& status) {
    if (!ended_.exchange(true)) Finish(status);
  }

  grpc::GenericCallbackServerContext* const context_;
  Seen& seen_;
  std::atomic<bool> ended_ = false;
  ByteBuffer message_;
  int left_ = 0;
};

class Echo final : public grpc::CallbackGenericService {
 public:
  explicit Echo(Seen& seen) : seen_(seen) {}
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    return new EchoCall(context, seen_);
  }

 private:
  Seen& seen_;
};

// One call of a client, step by step.
class ClientCall {
 public:
  ClientCall(grpc::GenericStub& stub, const std::string& method,
             const std::function<void(grpc::ClientContext&)>& prepare = nullptr) {
    if (prepare) prepare(context);
    stream_ = stub.PrepareCall(&context, method, &queue_);
    stream_->StartCall(nullptr);
    Next();
  }
  ~ClientCall() {
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }
  bool Write(const std::string& text) {
    stream_->Write(Bytes(text), nullptr);
    return Next();
  }
  void HalfClose() {
    stream_->WritesDone(nullptr);
    Next();
  }
  std::optional<std::string> Read() {
    ByteBuffer message;
    stream_->Read(&message, nullptr);
    if (!Next()) return std::nullopt;
    return Text(message);
  }
  grpc::Status Finish() {
    grpc::Status status;
    stream_->Finish(&status, nullptr);
    Next();
    return status;
  }

  grpc::ClientContext context;

 private:
  bool Next() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }

  grpc::CompletionQueue queue_;
  std::unique_ptr<Stream> stream_;
};

class ProxyServerTest : public testing::Test {
 protected:
  ProxyServerTest() : echo_(seen_) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterCallbackGenericService(&echo_);
    server_ = builder.BuildAndStart();
    server_address_ = absl::StrCat("127.0.0.1:", port);
    StartProxy(geteuid());
  }
  ~ProxyServerTest() override {
    proxy_ = nullptr;
    server_->Shutdown();
  }

  // Which answers this user's processes.
  void StartProxy(uid_t user) {
    auto proxy = ProxyServer::Start(
        {"127.0.0.1", 0}, grpc::CreateChannel(server_address_, grpc::InsecureChannelCredentials()),
        [this]() -> absl::StatusOr<std::string> {
          if (!token_error_.ok()) return token_error_;
          return absl::StrCat("token-", ++tokens_);
        },
        user);
    ASSERT_TRUE(proxy.ok()) << proxy.status();
    proxy_ = *std::move(proxy);
    stub_ = std::make_unique<grpc::GenericStub>(
        grpc::CreateChannel(proxy_->address().ToString(), grpc::InsecureChannelCredentials()));
  }
  // A connection on which nothing was said.
  int Connect() const {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(proxy_->address().port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    return fd;
  }

  std::string server_address_;
  Seen seen_;
  Echo echo_;
  std::atomic<int> tokens_ = 0;
  absl::Status token_error_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<ProxyServer> proxy_;
  std::unique_ptr<grpc::GenericStub> stub_;
};

TEST_F(ProxyServerTest, MessagesGoBothWaysWhileTheClientStillSends) {
  ClientCall call(*stub_, "/test/Echo");
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(call.Write(absl::StrCat("message ", i)));
    EXPECT_EQ(call.Read(), absl::StrCat("message ", i));
  }
  EXPECT_TRUE(call.Write(std::string(3 << 20, 'x')));
  EXPECT_EQ(call.Read()->size(), 3u << 20);
  call.HalfClose();
  EXPECT_EQ(call.Read(), std::nullopt);
  EXPECT_TRUE(call.Finish().ok());
}

TEST_F(ProxyServerTest, AllAnswersComeBeforeTheStatus) {
  ClientCall call(*stub_, "/test/Three");
  EXPECT_TRUE(call.Write("three"));
  call.HalfClose();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(call.Read(), "three");
  EXPECT_EQ(call.Read(), std::nullopt);
  EXPECT_TRUE(call.Finish().ok());
}

TEST_F(ProxyServerTest, AStatusComesWithItsDetailsWhileTheClientStillSends) {
  ClientCall call(*stub_, "/test/Refuse");
  EXPECT_TRUE(call.Write("please"));
  EXPECT_EQ(call.Read(), std::nullopt);
  const grpc::Status status = call.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(status.error_message(), "come back");
  EXPECT_EQ(status.error_details(), "details");
  const auto& trailers = call.context.GetServerTrailingMetadata();
  ASSERT_EQ(trailers.count("grpc-retry-pushback-ms"), 1u);
  EXPECT_EQ(trailers.find("grpc-retry-pushback-ms")->second, "1500");
  EXPECT_EQ(trailers.count("x-more"), 1u);
}

TEST_F(ProxyServerTest, EachCallHasATokenOfItsOwnInThePlaceOfTheClients) {
  for (int i = 1; i <= 2; ++i) {
    ClientCall call(*stub_, "/test/Echo", [](grpc::ClientContext& context) {
      context.AddMetadata("authorization", "Bearer of the client");
      context.AddMetadata("x-of-bazel-bin", std::string("\0\1", 2));
    });
    EXPECT_TRUE(call.Write("x"));
    EXPECT_EQ(call.Read(), "x");
    absl::MutexLock lock(&seen_.mutex);
    ASSERT_EQ(seen_.metadata.count("authorization"), 1u);
    EXPECT_EQ(seen_.metadata.find("authorization")->second, absl::StrCat("Bearer token-", i));
    EXPECT_EQ(seen_.metadata.find("x-of-bazel-bin")->second, std::string("\0\1", 2));
    call.context.TryCancel();
  }
}

TEST_F(ProxyServerTest, WithoutATokenNothingIsPassedOn) {
  token_error_ = absl::UnauthenticatedError("the file is empty");
  ClientCall call(*stub_, "/test/Echo");
  EXPECT_EQ(call.Read(), std::nullopt);
  const grpc::Status status = call.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(status.error_message(), "the file is empty");
}

TEST_F(ProxyServerTest, ACancelledCallIsCancelledAtTheServer) {
  ClientCall call(*stub_, "/test/Silent");
  EXPECT_TRUE(call.Write("x"));
  // A call that is cancelled on its way never comes to the server.
  seen_.arrived.WaitForNotification();
  call.context.TryCancel();
  seen_.cancelled.WaitForNotification();
  EXPECT_EQ(call.Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(ProxyServerTest, ADeadlineIsTheServersToo) {
  const auto deadline = std::chrono::system_clock::now() + std::chrono::hours(1);
  ClientCall call(*stub_, "/test/Echo",
                  [&](grpc::ClientContext& context) { context.set_deadline(deadline); });
  EXPECT_TRUE(call.Write("x"));
  EXPECT_EQ(call.Read(), "x");
  {
    absl::MutexLock lock(&seen_.mutex);
    EXPECT_LT(seen_.deadline, deadline + std::chrono::minutes(1));
    EXPECT_GT(seen_.deadline, deadline - std::chrono::minutes(1));
  }
  call.HalfClose();
  EXPECT_TRUE(call.Finish().ok());
}

TEST_F(ProxyServerTest, AServerThatIsAwayIsUnavailable) {
  server_->Shutdown(std::chrono::system_clock::now());
  ClientCall call(*stub_, "/test/Echo");
  EXPECT_EQ(call.Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(ProxyServerTest, ManyCallsAtOnceEndWell) {
  std::vector<std::thread> clients;
  std::atomic<int> good = 0;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&, i] {
      for (int j = 0; j < 20; ++j) {
        ClientCall call(*stub_, j % 3 == 0 ? "/test/Refuse" : "/test/Echo");
        const std::string text = absl::StrCat(i, " ", j);
        call.Write(text);
        if (j % 3 == 0) {
          good += call.Finish().error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED ? 1 : 0;
        } else if (j % 3 == 1) {
          call.context.TryCancel();
          good += call.Finish().error_code() == grpc::StatusCode::CANCELLED ? 1 : 0;
        } else {
          const bool same = call.Read() == text;
          call.HalfClose();
          good += same && call.Finish().ok() ? 1 : 0;
        }
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, 160);
  EXPECT_TRUE(proxy_->AwaitQuiet(absl::Milliseconds(1), absl::Minutes(1)));
}

TEST_F(ProxyServerTest, ItIsNotQuietWhileACallIsOpen) {
  ClientCall call(*stub_, "/test/Echo");
  EXPECT_TRUE(call.Write("x"));
  EXPECT_EQ(call.Read(), "x");
  EXPECT_FALSE(proxy_->AwaitQuiet(absl::Milliseconds(1), absl::Milliseconds(50)));
  call.HalfClose();
  EXPECT_TRUE(call.Finish().ok());
  EXPECT_TRUE(proxy_->AwaitQuiet(absl::Milliseconds(1), absl::Minutes(1)));
}

TEST_F(ProxyServerTest, ItEndsThoughCallsAreOpen) {
  ClientCall call(*stub_, "/test/Silent");
  EXPECT_TRUE(call.Write("x"));
  proxy_->Stop(absl::Milliseconds(10));
  EXPECT_FALSE(call.Finish().ok());
}

// ---- Attacks ----

// One that listens on loopback is reached by every user of the machine.
TEST_F(ProxyServerTest, AnotherUsersCallsAreRefused) {
  ASSERT_NO_FATAL_FAILURE(StartProxy(geteuid() + 1));
  ClientCall call(*stub_, "/test/Echo");
  EXPECT_EQ(call.Read(), std::nullopt);
  EXPECT_EQ(call.Finish().error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(tokens_, 0);
  EXPECT_EQ(seen_.calls, 0);
}

// A page in somebody's browser reaches ports of the machine, too, by HTTP/1.1.
TEST_F(ProxyServerTest, APagesRequestsComeNowhere) {
  for (const std::string& request :
       {std::string("POST /test/Echo HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                    "Content-Type: application/grpc\r\nContent-Length: 7\r\n\r\n"),
        std::string("GET /test/Echo HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: h2c\r\n"
                    "Connection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")}) {
    const int fd = Connect();
    const std::string bytes = request + std::string("\0\0\0\0\2hi", 7);
    ASSERT_EQ(send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    char buffer[1024];
    while (recv(fd, buffer, sizeof(buffer), 0) > 0) {
    }
    close(fd);
  }
  EXPECT_EQ(tokens_, 0);
  EXPECT_EQ(seen_.calls, 0);
}

TEST_F(ProxyServerTest, AMessageLargerThanItTakesEndsItsCallOnly) {
  ClientCall large(*stub_, "/test/Echo");
  large.Write(std::string(17 << 20, 'x'));
  EXPECT_EQ(large.Read(), std::nullopt);
  EXPECT_EQ(large.Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  ClientCall call(*stub_, "/test/Echo");
  EXPECT_TRUE(call.Write("x"));
  EXPECT_EQ(call.Read(), "x");
  call.HalfClose();
  EXPECT_TRUE(call.Finish().ok());
}

TEST_F(ProxyServerTest, SilentConnectionsAndCallsLeaveOthersAlone) {
  std::vector<int> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(Connect());
  std::vector<std::unique_ptr<ClientCall>> calls;
  for (int i = 0; i < 200; ++i) {
    calls.push_back(std::make_unique<ClientCall>(*stub_, "/test/Forgotten"));
  }
  ClientCall call(*stub_, "/test/Echo");
  EXPECT_TRUE(call.Write("x"));
  EXPECT_EQ(call.Read(), "x");
  call.HalfClose();
  EXPECT_TRUE(call.Finish().ok());
  // The connections that say nothing are ended by the proxy.
  for (const int fd : silent) {
    char buffer[1024];
    while (recv(fd, buffer, sizeof(buffer), 0) > 0) {
    }
    close(fd);
  }
  for (const auto& one : calls) one->context.TryCancel();
}

TEST(ProxyTest, AnAddressThatOthersReachIsRefused) {
  const auto proxy = ProxyServer::Start(
      {"0.0.0.0", 0}, grpc::CreateChannel("127.0.0.1:1", grpc::InsecureChannelCredentials()),
      ci::FixedToken(""));
  EXPECT_EQ(proxy.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace gprofhub::cli
