// A fake build event service is the forwarding target.
#include "collector/bes/event_forwarder.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/publish_build_event.grpc.pb.h"

namespace gprofhub::collector {

namespace {

namespace build = google::devtools::build::v1;
using Request = build::PublishBuildToolEventStreamRequest;
using Response = build::PublishBuildToolEventStreamResponse;

class OtherService final : public build::PublishBuildEvent::Service {
 public:
  grpc::Status PublishBuildToolEventStream(
      grpc::ServerContext* context, grpc::ServerReaderWriter<Response, Request>* stream) override {
    {
      absl::MutexLock lock(&mutex);
      ++streams;
      for (const auto& [name, value] : context->client_metadata()) {
        metadata.emplace(std::string(name.data(), name.size()),
                         std::string(value.data(), value.size()));
      }
      if (!refusal.ok()) return refusal;
    }
    for (Request request; stream->Read(&request);) {
      absl::MutexLock lock(&mutex);
      received.push_back(request.SerializeAsString());
      if (is_silent) continue;
      Response response;
      response.set_sequence_number(request.ordered_build_event().sequence_number() + lie);
      const int copies = 1 + floods;
      mutex.Unlock();
      for (int i = 0; i < copies && stream->Write(response); ++i) {
      }
      mutex.Lock();
      if (break_after == 0) continue;
      --break_after;
      if (break_after == 0) return {grpc::StatusCode::UNAVAILABLE, "it is restarted"};
    }
    absl::MutexLock lock(&mutex);
    ++whole_streams;
    return grpc::Status::OK;
  }

  grpc::Status PublishLifecycleEvent(grpc::ServerContext*,
                                     const build::PublishLifecycleEventRequest* request,
                                     google::protobuf::Empty*) override {
    absl::MutexLock lock(&mutex);
    lifecycle.push_back(request->project_id());
    return grpc::Status::OK;
  }

  void Await(bool (*condition)(OtherService*)) {
    absl::MutexLock lock(&mutex);
    mutex.Await(absl::Condition(condition, this));
  }

  absl::Mutex mutex;
  grpc::Status refusal;
  bool is_silent = false;
  int64_t lie = 0;      // added to the acknowledged number
  int floods = 0;       // additional responses to each event
  int break_after = 0;  // acknowledgements; 0: never
  int streams = 0;
  int whole_streams = 0;
  std::vector<std::string> received;
  std::vector<std::string> lifecycle;
  std::multimap<std::string, std::string> metadata;
};

class EventForwarderTest : public testing::Test {
 protected:
  EventForwarderTest() {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    address_ = absl::StrCat("127.0.0.1:", port);
  }
  ~EventForwarderTest() override {
    forwarder_ = nullptr;
    StopServer();
  }
  void StopServer() {
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
  }

  void Start(RelayLimits limits = {}) {
    EventForwarder::Options options;
    options.headers = {{"x-key", "secret"}};
    options.limits = limits;
    options.limits.try_again_in = absl::Milliseconds(1);
    options.look_every = absl::Milliseconds(1);
    options.now = [this] { return absl::FromUnixSeconds(seconds_); };
    forwarder_ = std::make_unique<EventForwarder>(
        grpc::CreateChannel(address_, grpc::InsecureChannelCredentials()), options);
  }
  std::shared_ptr<EventRelay> Begin() { return forwarder_->Begin("db", "i", "b"); }

  static std::string Event(int64_t sequence) {
    Request request;
    build::OrderedBuildEvent& ordered = *request.mutable_ordered_build_event();
    ordered.set_sequence_number(sequence);
    ordered.mutable_event()->mutable_bazel_event()->set_value(absl::StrCat("event ", sequence));
    return request.SerializeAsString();
  }
  static void PassAll(EventRelay& relay, int64_t from, int64_t to) {
    for (int64_t i = from; i <= to; ++i) relay.Pass(i, Event(i));
  }
  void AwaitGivenUp() {
    while (forwarder_->given_up() == 0) {
      ++seconds_;  // time passes
      std::this_thread::yield();
    }
  }

  std::atomic<int64_t> seconds_ = 1'700'000'000;
  OtherService service_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
  std::unique_ptr<EventForwarder> forwarder_;
};

TEST_F(EventForwarderTest, EventsArriveInOrderAsTheyCame) {
  Start();
  const auto relay = Begin();
  PassAll(*relay, 1, 100);
  relay->Detach(/*whole=*/true);
  service_.Await(+[](OtherService* service) { return service->whole_streams == 1; });
  absl::MutexLock lock(&service_.mutex);
  ASSERT_EQ(service_.received.size(), 100u);
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(service_.received[static_cast<size_t>(i)], Event(i + 1));
  }
  EXPECT_EQ(service_.metadata.find("x-key")->second, "secret");
}

TEST_F(EventForwarderTest, WhatWasNotAcknowledgedIsSentAgainOnANewStream) {
  service_.break_after = 2;
  RelayLimits limits;
  limits.patience = limits.after_end = absl::InfiniteDuration();
  Start(limits);
  const auto relay = Begin();
  PassAll(*relay, 1, 2);
  service_.Await(+[](OtherService* service) { return service->received.size() == 2; });
  PassAll(*relay, 3, 5);
  relay->Detach(/*whole=*/true);
  while (true) {
    ++seconds_;
    absl::MutexLock lock(&service_.mutex);
    if (service_.whole_streams > 0) break;
  }
  absl::MutexLock lock(&service_.mutex);
  EXPECT_EQ(service_.received.back(), Event(5));
  for (int64_t i = 1; i <= 5; ++i) {
    EXPECT_GE(std::count(service_.received.begin(), service_.received.end(), Event(i)), 1) << i;
  }
}

TEST_F(EventForwarderTest, AClientThatComesBackGoesOnWhereItWas) {
  Start();
  Begin()->Detach(/*whole=*/false);
  const auto relay = Begin();
  PassAll(*relay, 1, 3);
  relay->Detach(/*whole=*/false);
  EXPECT_EQ(Begin(), relay);
  PassAll(*relay, 2, 4);
  relay->Detach(/*whole=*/true);
  service_.Await(+[](OtherService* service) { return service->whole_streams == 1; });
  absl::MutexLock lock(&service_.mutex);
  EXPECT_EQ(service_.received, (std::vector<std::string>{Event(1), Event(2), Event(3), Event(4)}));
}

TEST_F(EventForwarderTest, TheLateEndOfABrokenStreamDoesNotEndTheOneThatFollowed) {
  Start();
  const auto relay = Begin();
  EXPECT_EQ(Begin(), relay);       // the client reconnects
  relay->Detach(/*whole=*/false);  // the end of its first stream is noticed only now
  seconds_ += 24 * 3600;           // a test of the build takes long
  EXPECT_TRUE(relay->Look(absl::FromUnixSeconds(seconds_)));
  EXPECT_FALSE(relay->WasGivenUp());
}

TEST_F(EventForwarderTest, AServiceThatIsAwayIsGivenUp) {
  StopServer();
  Start();
  const auto relay = Begin();
  PassAll(*relay, 1, 100);
  relay->Detach(/*whole=*/true);
  AwaitGivenUp();
}

TEST_F(EventForwarderTest, AServiceThatAcknowledgesNothingIsGivenUp) {
  service_.is_silent = true;
  Start();
  const auto relay = Begin();
  PassAll(*relay, 1, 3);
  service_.Await(+[](OtherService* service) { return service->received.size() == 3; });
  AwaitGivenUp();
}

TEST_F(EventForwarderTest, ASlowServiceHoldsNoMoreThanItMay) {
  service_.is_silent = true;
  RelayLimits limits;
  limits.relay_bytes = 10 * Event(1).size();
  Start(limits);
  const auto relay = Begin();
  // Pass never blocks, even if nothing is acknowledged.
  PassAll(*relay, 1, 100'000);
  EXPECT_TRUE(relay->WasGivenUp());
}

TEST_F(EventForwarderTest, NumbersThatWereNotSentAcknowledgeNoMoreThanWasSent) {
  service_.lie = 1'000'000;
  Start();
  const auto relay = Begin();
  PassAll(*relay, 1, 100);
  relay->Detach(/*whole=*/true);
  service_.Await(+[](OtherService* service) { return service->whole_streams == 1; });
  absl::MutexLock lock(&service_.mutex);
  EXPECT_EQ(service_.received.size(), 100u);
}

TEST_F(EventForwarderTest, NumbersOfNoEventAcknowledgeNothing) {
  service_.lie = -1'000'000;
  Start();
  PassAll(*Begin(), 1, 3);
  service_.Await(+[](OtherService* service) { return service->received.size() == 3; });
  AwaitGivenUp();
}

TEST_F(EventForwarderTest, AFloodOfResponsesEndsTheRelay) {
  service_.floods = 1'000'000'000;  // until the call ends
  Start();
  PassAll(*Begin(), 1, 1);
  while (forwarder_->given_up() == 0) std::this_thread::yield();  // the clock stands still
}

TEST_F(EventForwarderTest, ARelayEndsSoonAfterItsBuildThoughEachEventIsAcknowledgedInTime) {
  service_.is_silent = true;
  RelayLimits limits;
  limits.patience = absl::Hours(24);  // of one event
  Start(limits);
  const auto relay = Begin();
  PassAll(*relay, 1, 3);
  relay->Detach(/*whole=*/true);
  const int64_t end = seconds_;
  AwaitGivenUp();
  EXPECT_LE(end + 600, seconds_);
  EXPECT_LT(seconds_, end + 24 * 3600);
}

TEST_F(EventForwarderTest, AServiceThatRefusesIsAskedOnce) {
  service_.refusal = {grpc::StatusCode::PERMISSION_DENIED, "who are you"};
  Start();
  const auto relay = Begin();
  PassAll(*relay, 1, 1);
  // Before the clock moves: a call that waits too long is given up, too.
  service_.Await(+[](OtherService* service) { return service->streams > 0; });
  AwaitGivenUp();
  PassAll(*relay, 2, 3);
  absl::MutexLock lock(&service_.mutex);
  EXPECT_EQ(service_.streams, 1);
}

TEST_F(EventForwarderTest, AClientThatStaysAwayEndsItsRelay) {
  Start();
  const auto relay = Begin();
  PassAll(*relay, 1, 1);
  service_.Await(+[](OtherService* service) { return service->received.size() == 1; });
  relay->Detach(/*whole=*/false);
  AwaitGivenUp();
}

TEST_F(EventForwarderTest, ItEndsThoughTheServiceHangs) {
  service_.is_silent = true;
  Start();
  PassAll(*Begin(), 1, 1);
  forwarder_ = nullptr;
}

TEST_F(EventForwarderTest, LifecyclesArePassedOn) {
  Start();
  build::PublishLifecycleEventRequest request;
  request.set_project_id("db");
  forwarder_->PassLifecycle(request.SerializeAsString());
  service_.Await(+[](OtherService* service) { return !service->lifecycle.empty(); });
  absl::MutexLock lock(&service_.mutex);
  EXPECT_EQ(service_.lifecycle, std::vector<std::string>{"db"});
}

}  // namespace

}  // namespace gprofhub::collector
