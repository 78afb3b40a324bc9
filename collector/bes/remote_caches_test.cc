// URIs in build events are untrusted and never followed: the attacks of this test name caches,
// instances and projects that are not configured, and count the calls.
#include "collector/bes/remote_caches.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/hash.h"
#include "proto/byte_stream.grpc.pb.h"

namespace gprofhub::collector {

namespace {

namespace stream = google::bytestream;

constexpr char kBytes[] = "what a test left";

class OtherCache final : public stream::ByteStream::Service {
 public:
  OtherCache() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~OtherCache() override { Stop(); }
  void Stop() {
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
  }

  grpc::Status Read(grpc::ServerContext* context, const stream::ReadRequest* request,
                    grpc::ServerWriter<stream::ReadResponse>* writer) override {
    absl::MutexLock lock(&mutex_);
    asked_.push_back(request->resource_name());
    const auto key = context->client_metadata().find("x-key");
    if (key == context->client_metadata().end() || key->second != "secret") {
      return {grpc::StatusCode::UNAUTHENTICATED, "who are you"};
    }
    is_held_ = holds_;
    if (is_held_) {
      const auto gone = [context] { return context->IsCancelled(); };
      while (!gone()) mutex_.AwaitWithTimeout(absl::Condition(&gone), absl::Milliseconds(10));
      return grpc::Status::CANCELLED;
    }
    if (drips_) {
      stream::ReadResponse nothing;
      while (writer->Write(nothing)) {
      }
      return grpc::Status::CANCELLED;
    }
    for (const char c : answer_) {
      stream::ReadResponse response;
      response.set_data(std::string(1, c));
      if (!writer->Write(response)) break;
    }
    return grpc::Status::OK;
  }

  std::string host() const { return absl::StrCat("127.0.0.1:", port_); }
  void set_answer(std::string answer) {
    absl::MutexLock lock(&mutex_);
    answer_ = std::move(answer);
  }
  // From now on calls block until their client cancels them.
  void Hold() {
    absl::MutexLock lock(&mutex_);
    holds_ = true;
  }
  // From now on calls get messages without a byte, as fast as they read them.
  void Drip() {
    absl::MutexLock lock(&mutex_);
    drips_ = true;
  }
  void AwaitHeld() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(&is_held_));
  }
  std::vector<std::string> asked() {
    absl::MutexLock lock(&mutex_);
    return asked_;
  }

 private:
  int port_ = 0;
  absl::Mutex mutex_;
  std::vector<std::string> asked_ ABSL_GUARDED_BY(mutex_);
  std::string answer_ ABSL_GUARDED_BY(mutex_) = kBytes;
  bool holds_ ABSL_GUARDED_BY(mutex_) = false;
  bool drips_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_held_ ABSL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<grpc::Server> server_;
};

class RemoteCachesTest : public testing::Test {
 protected:
  // The configured cache: instance "main" for the project "db".
  RemoteCache Allowed() const {
    RemoteCache cache;
    cache.project = "db";
    cache.places = {cache_.host() + "/main"};
    cache.instance = "main";
    cache.channel = grpc::CreateChannel(cache_.host(), grpc::InsecureChannelCredentials());
    cache.headers = {{"x-key", "secret"}};
    return cache;
  }
  ReadHandedOver Reader(absl::Duration connect = absl::Milliseconds(200)) {
    RemoteCacheOptions options;
    options.connect = connect;
    options.whole = whole_;
    options.now = [this] { return now_; };
    caches_.emplace(std::vector<RemoteCache>{Allowed()}, options);
    return ReadAlsoFrom(
        *caches_, [this](const std::string&, const HandedOverFile&) -> absl::StatusOr<std::string> {
          if (own_.has_value()) return *own_;
          return absl::NotFoundError("it was not handed over");
        });
  }
  static std::string Address(const std::string& place) {
    return absl::StrCat("bytestream://", place, "/blobs/", base::Sha256Hex(kBytes), "/",
                        sizeof(kBytes) - 1);
  }
  // Parses the URI and reads the file.
  absl::StatusOr<std::string> Read(const std::string& place, const std::string& project = "db") {
    const std::optional<HandedOverFile> file = ParseBytestream(Address(place));
    if (!file.has_value()) return absl::InvalidArgumentError("not an address");
    return Reader()(project, *file);
  }

  OtherCache cache_;
  std::optional<RemoteCaches> caches_;
  std::optional<std::string> own_;
  absl::Duration whole_ = absl::Minutes(5);
  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
};

TEST_F(RemoteCachesTest, AFileOfTheProjectsCacheIsRead) {
  EXPECT_EQ(*Read(cache_.host() + "/main"), kBytes);
  EXPECT_EQ(cache_.asked(),
            std::vector<std::string>{absl::StrCat("main/blobs/", base::Sha256Hex(kBytes), "/16")});
}

TEST_F(RemoteCachesTest, WhatWasHandedOverHereIsNotAskedFor) {
  own_ = "own";
  EXPECT_EQ(*Read(cache_.host() + "/main"), "own");
  EXPECT_TRUE(cache_.asked().empty());
}

// Server-side request forgery: the URI names a host that only this server can reach.
TEST_F(RemoteCachesTest, NoOtherHostOrInstanceOrProjectIsCalled) {
  OtherCache within;
  for (const std::string& place :
       {within.host(), within.host() + "/main", cache_.host(), cache_.host() + "/other",
        cache_.host() + "/main/more", cache_.host() + "//main", cache_.host() + "/./main",
        cache_.host() + "/main/../other", "user@" + cache_.host() + "/main",
        cache_.host() + "@" + within.host() + "/main", cache_.host() + "/main?" + within.host(),
        cache_.host() + "/%6dain", std::string("localhost/main"), std::string("169.254.169.254"),
        std::string("unix:/run/secret.sock/main"), "dns:///" + within.host() + "/main"}) {
    EXPECT_FALSE(Read(place).ok()) << place;
  }
  EXPECT_FALSE(Read(cache_.host() + "/main", "other project").ok());
  EXPECT_TRUE(cache_.asked().empty());
  EXPECT_TRUE(within.asked().empty());
}

TEST_F(RemoteCachesTest, OtherBytesAreNotTaken) {
  for (const std::string& answer :
       {std::string(16, 'x'), std::string(kBytes) + "!", std::string(1 << 16, 'x'),
        std::string("short"), std::string()}) {
    cache_.set_answer(answer);
    EXPECT_TRUE(absl::IsDataLoss(Read(cache_.host() + "/main").status())) << answer.size();
  }
}

TEST_F(RemoteCachesTest, ACacheThatIsAwayIsLeftInPeaceForAWhile) {
  cache_.Stop();
  const ReadHandedOver read = Reader();
  const HandedOverFile file = *ParseBytestream(Address(cache_.host() + "/main"));
  EXPECT_TRUE(absl::StrContains(read("db", file).status().message(), "is unreachable"));
  EXPECT_TRUE(absl::StrContains(read("db", file).status().message(), "a moment ago"));
  now_ += absl::Minutes(2);
  EXPECT_TRUE(absl::StrContains(read("db", file).status().message(), "is unreachable"));
}

TEST_F(RemoteCachesTest, ACacheThatComesToNoEndIsLeftAtTheDeadlineAndInPeaceAfterwards) {
  cache_.Drip();
  whole_ = absl::Milliseconds(300);
  const ReadHandedOver read = Reader();
  const HandedOverFile file = *ParseBytestream(Address(cache_.host() + "/main"));
  EXPECT_TRUE(absl::IsNotFound(read("db", file).status()));
  EXPECT_TRUE(absl::StrContains(read("db", file).status().message(), "a moment ago"));
  EXPECT_EQ(cache_.asked().size(), 1u);
}

TEST_F(RemoteCachesTest, AStopEndsAReadingThatACacheHoldsUp) {
  cache_.Hold();
  const ReadHandedOver read = Reader(absl::Hours(1));
  const HandedOverFile file = *ParseBytestream(Address(cache_.host() + "/main"));
  std::thread stopping([this] {
    cache_.AwaitHeld();
    caches_->Stop();
  });
  EXPECT_TRUE(absl::IsUnavailable(read("db", file).status())) << "nothing is lost: it comes again";
  stopping.join();
  EXPECT_TRUE(absl::IsUnavailable(read("db", file).status()));
  EXPECT_EQ(cache_.asked().size(), 1);
}

TEST_F(RemoteCachesTest, AStopEndsTheWaitForACacheThatIsAway) {
  cache_.Stop();
  const ReadHandedOver read = Reader(absl::Hours(1));
  const HandedOverFile file = *ParseBytestream(Address(cache_.host() + "/main"));
  std::thread stopping([this] { caches_->Stop(); });
  EXPECT_TRUE(absl::IsUnavailable(read("db", file).status()));
  stopping.join();
}

}  // namespace

}  // namespace gprofhub::collector
