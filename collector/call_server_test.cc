// Calls over real connections, with a clock that the test moves.
#include "collector/call_server.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "collector/method.h"
#include "proto/collector.grpc.pb.h"

namespace gprofhub::collector {

namespace {

// Counts the messages of a stream; Answer waits for `go_on`, if set.
class CountingHandler final : public CallHandler {
 public:
  explicit CountingHandler(absl::Notification* go_on) : go_on_(go_on) {}
  absl::Status Receive(absl::string_view bytes) override {
    v1::UploadRequest request;
    ++messages_;
    return ParseBounded(bytes, request);
  }
  absl::StatusOr<NextMessage> Answer() override {
    if (go_on_ != nullptr) go_on_->WaitForNotification();
    v1::UploadResponse response;
    response.set_profiles(messages_);
    return OneMessage(response.SerializeAsString());
  }

 private:
  absl::Notification* const go_on_;
  uint32_t messages_ = 0;
};

// Handles its message until the client has left. Answer counts.
class WaitingHandler final : public CallHandler {
 public:
  WaitingHandler(const CallContext& context, std::atomic<int>& received, std::atomic<int>& answered)
      : cancelled_(context.cancelled), received_(received), answered_(answered) {}
  absl::Status Receive(absl::string_view) override {
    ++received_;
    while (!cancelled_()) std::this_thread::yield();
    return absl::OkStatus();
  }
  absl::StatusOr<NextMessage> Answer() override {
    ++answered_;
    return OneMessage("");
  }

 private:
  const std::function<bool()> cancelled_;
  std::atomic<int>& received_;
  std::atomic<int>& answered_;
};

class CallServerTest : public testing::Test {
 protected:
  void Start(CallServer::Options options = {}) {
    options.now = [this] { return absl::FromUnixSeconds(1000 + seconds_); };
    options.look_every = absl::Milliseconds(1);
    options.roles = "tester";
    options.on_ended = [this](const EndedCall& call) {
      absl::MutexLock lock(&mutex_);
      ended_.push_back({std::string(call.method), call.code, std::string(call.refusal),
                        call.received_bytes, call.sent_bytes});
    };
    Method upload;
    upload.name = "/gprofhub.v1.Collector/Upload";
    upload.one_message = false;
    upload.longest = absl::Seconds(500);
    upload.start = [this](const CallContext& context) {
      ++started_;
      absl::MutexLock lock(&mutex_);
      request_ = context.request;
      return std::make_unique<CountingHandler>(nullptr);
    };
    Method find = UnaryMethod<v1::FindMissingBlobsRequest>(
        "/gprofhub.v1.Collector/FindMissingBlobs", Scope::kUpload,
        [this](const v1::FindMissingBlobsRequest&,
               const CallContext&) -> absl::StatusOr<v1::FindMissingBlobsResponse> {
          if (go_on_ != nullptr) go_on_->WaitForNotification();
          return v1::FindMissingBlobsResponse();
        });
    Method finish;
    finish.name = "/gprofhub.v1.Collector/FinishRun";
    finish.start = [this](const CallContext& context) {
      return std::make_unique<WaitingHandler>(context, received_, answered_);
    };
    calls_ = std::make_unique<CallServer>(std::vector<Method>{upload, find, finish}, MakeAccess(),
                                          options);
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterCallbackGenericService(calls_.get());
    server_ = builder.BuildAndStart();
    channel_ = NewChannel();
    stub_ = v1::Collector::NewStub(channel_);
  }
  ~CallServerTest() override {
    if (server_ != nullptr) server_->Shutdown();
  }

  std::shared_ptr<grpc::Channel> NewChannel() const {
    return grpc::CreateChannel("127.0.0.1:" + std::to_string(port_),
                               grpc::InsecureChannelCredentials());
  }
  grpc::Status Find(const std::string& token = "") {
    grpc::ClientContext call;
    if (!token.empty()) call.AddMetadata("authorization", "Bearer " + token);
    v1::FindMissingBlobsRequest request;
    request.set_project("p");
    v1::FindMissingBlobsResponse response;
    return stub_->FindMissingBlobs(&call, request, &response);
  }

  struct Ended {
    std::string method;
    absl::StatusCode code;
    std::string refusal;
    uint64_t received;
    uint64_t sent;
  };

  // The token "of-P" belongs to project P.
  Access MakeAccess() {
    Access access;
    access.authenticate = [this](const CallOrigin& call) -> absl::StatusOr<Caller> {
      Caller caller;
      caller.scopes = Scopes::All();
      caller.anonymous = !wants_tokens_;
      absl::string_view authorization = call.authorization;
      if (caller.anonymous) return caller;
      if (!absl::ConsumePrefix(&authorization, "Bearer of-")) {
        return absl::UnauthenticatedError("no token");
      }
      caller.project = std::string(authorization);
      return caller;
    };
    access.recheck = [this](const Caller&) -> absl::Status {
      return is_revoked_ ? absl::UnauthenticatedError("revoked") : absl::OkStatus();
    };
    access.note_refusal = [this](const CallOrigin& call, const store::Actor&,
                                 const absl::Status& why) {
      if (absl::IsPermissionDenied(why) && call.method == "FindMissingBlobs") ++refusals_;
    };
    return access;
  }

  std::atomic<bool> wants_tokens_ = false;
  std::atomic<bool> is_revoked_ = false;
  std::atomic<int> seconds_ = 0;
  std::atomic<int> started_ = 0;
  std::atomic<int> refusals_ = 0;
  std::atomic<int> received_ = 0, answered_ = 0;  // by WaitingHandler
  absl::Notification* go_on_ = nullptr;
  int port_ = 0;
  absl::Mutex mutex_;
  std::vector<Ended> ended_ ABSL_GUARDED_BY(mutex_);
  std::string request_ ABSL_GUARDED_BY(mutex_);  // of the last upload
  std::unique_ptr<CallServer> calls_;
  std::unique_ptr<grpc::Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Collector::Stub> stub_;
};

TEST_F(CallServerTest, GivesAStreamsMessagesToItsHandler) {
  Start();
  grpc::ClientContext call;
  v1::UploadResponse response;
  auto stream = stub_->Upload(&call, &response);
  v1::UploadRequest message;
  message.mutable_chunk()->set_data("x");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(stream->Write(message));
  stream->WritesDone();
  const grpc::Status status = stream->Finish();
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.profiles(), 3u);
}

TEST_F(CallServerTest, TellsHowEachCallEnded) {
  Start();
  EXPECT_TRUE(Find().ok());
  {
    // A call is over only after its answer was sent: the next one might be over before.
    const auto is_over = [this] { return !ended_.empty(); };
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(&is_over));
  }
  wants_tokens_ = true;
  EXPECT_FALSE(Find().ok());
  server_->Shutdown();  // so that all calls are over
  server_.reset();
  absl::MutexLock lock(&mutex_);
  ASSERT_EQ(ended_.size(), 2u);
  EXPECT_EQ(ended_[0].method, "/gprofhub.v1.Collector/FindMissingBlobs");
  EXPECT_EQ(ended_[0].code, absl::StatusCode::kOk);
  EXPECT_EQ(ended_[0].refusal, "");
  EXPECT_EQ(ended_[0].received, 3u) << "the project's name and its length";
  EXPECT_EQ(ended_[1].code, absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(ended_[1].refusal, "token");
}

TEST_F(CallServerTest, TakesTheRequestsIdFromTheTraceOfTheCaller) {
  Start();
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  for (const bool traced : {true, false}) {
    grpc::ClientContext call;
    call.AddMetadata("traceparent", traced ? "00-" + trace + "-00f067aa0ba902b7-01" : "00-hostile");
    v1::UploadResponse response;
    const auto stream = stub_->Upload(&call, &response);
    stream->WritesDone();
    EXPECT_TRUE(stream->Finish().ok());
    absl::MutexLock lock(&mutex_);
    EXPECT_EQ(request_ == trace, traced) << request_;
    EXPECT_EQ(request_.size(), trace.size());
  }
}

TEST_F(CallServerTest, EndsASilentStreamWhoseTokenWasRevoked) {
  CallServer::Options options;
  options.patience.first = options.patience.most = absl::Seconds(400);
  Start(options);
  wants_tokens_ = true;
  grpc::ClientContext call;
  call.AddMetadata("authorization", "Bearer of-p");
  v1::UploadResponse response;
  auto stream = stub_->Upload(&call, &response);
  is_revoked_ = true;
  while (started_ == 0) std::this_thread::yield();
  seconds_ = 31;
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAUTHENTICATED);
}

TEST_F(CallServerTest, RecordsNothingOfAStreamWhoseTokenWasRevoked) {
  CallServer::Options options;
  options.recheck_every = absl::InfiniteDuration();
  Start(options);
  wants_tokens_ = true;
  for (const bool is_revoked : {false, true}) {
    grpc::ClientContext call;
    call.AddMetadata("authorization", "Bearer of-p");
    v1::UploadResponse response;
    auto stream = stub_->Upload(&call, &response);
    stream->Write(v1::UploadRequest());
    while (started_ == (is_revoked ? 1 : 0)) std::this_thread::yield();
    is_revoked_ = is_revoked;
    seconds_ = seconds_ + 2;
    stream->WritesDone();
    EXPECT_EQ(stream->Finish().error_code(),
              is_revoked ? grpc::StatusCode::UNAUTHENTICATED : grpc::StatusCode::OK);
  }
}

TEST_F(CallServerTest, ACallWhoseClientLeftAfterItsLastMessageIsNotAnswered) {
  Start();
  grpc::ClientContext call;
  std::thread leaves([&] {
    while (received_ == 0) std::this_thread::yield();
    call.TryCancel();
  });
  v1::FinishRunResponse response;
  EXPECT_EQ(stub_->FinishRun(&call, {}, &response).error_code(), grpc::StatusCode::CANCELLED);
  leaves.join();
  while (calls_->open_calls() > 0) std::this_thread::yield();
  EXPECT_EQ(answered_, 0);
}

TEST_F(CallServerTest, CutsAStreamThatSaysNothing) {
  Start();
  grpc::ClientContext call;
  v1::UploadResponse response;
  auto stream = stub_->Upload(&call, &response);
  call.set_wait_for_ready(true);
  seconds_ = 3600;  // the client's response waits for the cut, which happens sooner or later
  std::thread later([this] {
    while (started_ == 0) std::this_thread::yield();
    seconds_ = 2 * 3600;
  });
  const grpc::Status status = stream->Finish();
  later.join();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::ABORTED) << status.error_message();
}

TEST_F(CallServerTest, AThousandSilentStreamsLeaveItServing) {
  Start();
  std::vector<std::unique_ptr<grpc::ClientContext>> calls;
  std::vector<std::unique_ptr<grpc::ClientWriter<v1::UploadRequest>>> streams;
  v1::UploadResponse response;
  for (int i = 0; i < 1000; ++i) {
    calls.push_back(std::make_unique<grpc::ClientContext>());
    streams.push_back(stub_->Upload(calls.back().get(), &response));
  }
  while (started_ < 1000) std::this_thread::yield();
  EXPECT_EQ(calls_->open_calls(), 1000u);
  const grpc::Status status = Find();
  EXPECT_TRUE(status.ok()) << status.error_message();
  for (auto& call : calls) call->TryCancel();
  for (auto& stream : streams) stream->Finish();
}

TEST_F(CallServerTest, RefusesCallsAboveAPeersHalfAndSaysWhenToComeBack) {
  CallServer::Options options;
  options.open_calls = 4;
  Start(options);
  std::vector<std::unique_ptr<grpc::ClientContext>> calls;
  std::vector<std::unique_ptr<grpc::ClientWriter<v1::UploadRequest>>> streams;
  v1::UploadResponse response;
  for (int i = 0; i < 2; ++i) {
    calls.push_back(std::make_unique<grpc::ClientContext>());
    streams.push_back(stub_->Upload(calls.back().get(), &response));
  }
  while (started_ < 2) std::this_thread::yield();
  grpc::ClientContext call;
  v1::FindMissingBlobsResponse found;
  const grpc::Status status = stub_->FindMissingBlobs(&call, {}, &found);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(call.GetServerTrailingMetadata().count("grpc-retry-pushback-ms"), 1u);
  for (auto& other : calls) other->TryCancel();
  for (auto& stream : streams) stream->Finish();
}

TEST_F(CallServerTest, TurnsAStrangerAwayBeforeItsMessageComes) {
  Start();
  wants_tokens_ = true;
  grpc::ClientContext call;
  v1::UploadResponse response;
  auto stream = stub_->Upload(&call, &response);  // never sends a message
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(started_, 0);
}

TEST_F(CallServerTest, ATokenIsForItsProjectOnly) {
  Start();
  wants_tokens_ = true;
  EXPECT_TRUE(Find("of-p").ok());
  EXPECT_EQ(Find("of-q").error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(refusals_, 1) << "it is counted";
}

TEST_F(CallServerTest, CallsThatBlockLeaveThreadsForOtherProjects) {
  CallServer::Options options;
  options.threads = 4;
  Start(options);
  wants_tokens_ = true;
  absl::Notification go_on;
  go_on_ = &go_on;
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] { EXPECT_TRUE(Find("of-p").ok()); });
  }
  while (calls_->open_calls() < 8) std::this_thread::yield();
  // One of the remaining threads answers it, because the caller may not read this project.
  EXPECT_EQ(Find("of-q").error_code(), grpc::StatusCode::PERMISSION_DENIED);
  go_on.Notify();
  for (std::thread& client : clients) client.join();
}

TEST_F(CallServerTest, SaysWhichCallItDoesNotServe) {
  Start();
  grpc::GenericStub stub(channel_);
  grpc::ClientContext call;
  grpc::CompletionQueue queue;
  auto unknown = stub.PrepareUnaryCall(&call, "/a.B/C", grpc::ByteBuffer(), &queue);
  unknown->StartCall();
  grpc::ByteBuffer answer;
  grpc::Status status;
  unknown->Finish(&answer, &status, &queue);
  void* tag = nullptr;
  bool ok = false;
  ASSERT_TRUE(queue.Next(&tag, &ok));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(status.error_message(), "it does not serve /a.B/C; its roles: tester");
}

}  // namespace

}  // namespace gprofhub::collector
