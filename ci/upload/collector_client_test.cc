#include "ci/upload/collector_client.h"

#include <gmock/gmock.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::ci {

namespace {

class GitHubIdTokensTest : public testing::Test {
 protected:
  // A token that expires at `end`.
  static std::string Token(absl::Time end) {
    const std::string claims = nlohmann::json({{"exp", absl::ToUnixSeconds(end)}}).dump();
    return absl::StrCat("e30.", absl::WebSafeBase64Escape(claims), ".c2ln");
  }

  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  absl::StatusOr<std::string> answer_;
  std::vector<std::string> asked_;
  const TokenSource source_ = GitHubIdTokens(
      {"https://actions.example/token?api-version=2", "secret", "https://gprofhub.example",
       [this](const std::string& url, const std::string& authorization) {
         asked_.push_back(absl::StrCat(url, " ", authorization));
         return answer_;
       },
       [this] { return now_; }});
};

TEST_F(GitHubIdTokensTest, AreAskedForWithTheAudienceAndKeptUntilTheyEnd) {
  const std::string first = Token(now_ + absl::Minutes(5));
  answer_ = nlohmann::json({{"value", first}}).dump();
  EXPECT_EQ(*source_(), first);
  EXPECT_EQ(*source_(), first);
  ASSERT_EQ(asked_.size(), 1u);
  EXPECT_EQ(asked_[0],
            "https://actions.example/token?api-version=2&audience=https%3A%2F%2Fgprofhub.example "
            "bearer secret");
  now_ += absl::Minutes(4);
  const std::string second = Token(now_ + absl::Minutes(5));
  answer_ = nlohmann::json({{"value", second}}).dump();
  EXPECT_EQ(*source_(), second);
}

TEST_F(GitHubIdTokensTest, ATokenThatDoesNotSayItsEndIsUsedOnce) {
  answer_ = R"({"value": "opaque"})";
  EXPECT_EQ(*source_(), "opaque");
  EXPECT_EQ(*source_(), "opaque");
  EXPECT_EQ(asked_.size(), 2u);
}

TEST_F(GitHubIdTokensTest, AnAnswerWithoutATokenIsAnError) {
  for (const char* body : {"", "{}", "[]", R"({"value": 17})", "not JSON"}) {
    answer_ = body;
    EXPECT_EQ(source_().status().code(), absl::StatusCode::kInternal) << body;
  }
  answer_ = absl::UnavailableError("down");
  EXPECT_EQ(source_().status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(GitHubIdTokensTest, ATokenThatIsNotAsciiIsNotShown) {
  answer_ = nlohmann::json({{"value", "op\naque"}}).dump();
  EXPECT_THAT(std::string(source_().status().message()), testing::HasSubstr("GitHub's ID token"));
  EXPECT_THAT(std::string(source_().status().message()), testing::Not(testing::HasSubstr("aque")));
}

TEST(FixedTokenTest, IsAlwaysTheSame) { EXPECT_EQ(*FixedToken("gph_1")(), "gph_1"); }

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Scripted results of the fake's calls, in order; OK after the last entry.
struct Answer {
  grpc::Status status;
  std::string pushback_ms = "";
  bool cut_after_header = false;
};

class FakeCollector : public v1::Collector::Service {
 public:
  grpc::Status FindMissingBlobs(grpc::ServerContext* context,
                                const v1::FindMissingBlobsRequest* request,
                                v1::FindMissingBlobsResponse* response) override {
    const std::scoped_lock lock(mutex);
    ++finds;
    const auto authorization = context->client_metadata().find("authorization");
    token = authorization == context->client_metadata().end()
                ? ""
                : std::string(authorization->second.data(), authorization->second.size());
    for (const v1::BlobRef& blob : request->blobs()) {
      if (stored.count(blob.sha256()) == 0) *response->add_missing() = blob;
    }
    return find_status;
  }

  grpc::Status Upload(grpc::ServerContext* context, grpc::ServerReader<v1::UploadRequest>* stream,
                      v1::UploadResponse* response) override {
    const std::scoped_lock lock(mutex);
    ++uploads;
    Answer answer;
    if (!answers.empty()) {
      answer = answers.front();
      answers.erase(answers.begin());
    }
    if (!answer.pushback_ms.empty()) {
      context->AddTrailingMetadata("grpc-retry-pushback-ms", answer.pushback_ms);
    }
    v1::UploadRequest message;
    std::map<std::string, std::string> received;
    while (stream->Read(&message)) {
      if (message.has_header() && answer.cut_after_header) return answer.status;
      if (!message.has_chunk()) continue;
      std::string& blob = received[message.chunk().sha256()];
      EXPECT_EQ(message.chunk().offset(), blob.size());
      EXPECT_LE(message.chunk().data().size(), 1u << 20);
      blob += message.chunk().data();
    }
    if (!answer.status.ok()) return answer.status;
    for (auto& [sha256, bytes] : received) {
      response->set_bytes_received(response->bytes_received() + bytes.size());
      stored[sha256] = std::move(bytes);
    }
    response->set_run_id("7");
    return grpc::Status::OK;
  }

  grpc::Status FinishRun(grpc::ServerContext*, const v1::FinishRunRequest* request,
                         v1::FinishRunResponse*) override {
    const std::scoped_lock lock(mutex);
    finished.push_back(request->project() + " " + request->run_id());
    return finish_status;
  }

  std::mutex mutex;
  std::vector<std::string> finished;
  grpc::Status finish_status;
  std::vector<Answer> answers;
  grpc::Status find_status;
  std::map<std::string, std::string> stored;
  std::string token;
  int finds = 0;
  int uploads = 0;
};

class CollectorClientTest : public testing::Test {
 protected:
  CollectorClientTest() {
    grpc::ServerBuilder builder;
    builder.RegisterService(&fake_);
    server_ = builder.BuildAndStart();
    header_.mutable_run()->set_project("p");
    AddProfile("aa", "small");
    AddProfile("bb", large_);
  }

  void AddProfile(const std::string& sha256, absl::string_view bytes) {
    v1::ProfileRef* profile = header_.add_profiles();
    profile->mutable_data()->set_sha256(sha256);
    profile->mutable_data()->set_size(bytes.size());
    blobs_[sha256] = bytes;
  }

  CollectorClient Client() {
    ClientOptions options;
    options.token = FixedToken("secret");
    options.attempts = 4;
    options.sleep = [this](absl::Duration wait) { waits_.push_back(wait); };
    options.random = [] { return 0.0; };
    options.notify = [this](const std::string& text) { notes_.push_back(text); };
    return CollectorClient(v1::Collector::NewStub(server_->InProcessChannel({})), "ci:7070",
                           options);
  }

  absl::StatusOr<UploadOutcome> Upload() { return Client().Upload(header_, blobs_); }

  FakeCollector fake_;
  std::unique_ptr<grpc::Server> server_;
  std::string large_ = std::string((2 << 20) + 5, 'x');
  v1::UploadHeader header_;
  BlobBytes blobs_;
  std::vector<absl::Duration> waits_;
  std::vector<std::string> notes_;
};

grpc::Status Unavailable() { return grpc::Status(grpc::StatusCode::UNAVAILABLE, "restarting"); }

TEST_F(CollectorClientTest, BlobsArriveInChunks) {
  const auto outcome = Upload();
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->response.run_id(), "7");
  EXPECT_EQ(outcome->bytes_sent, large_.size() + 5);
  EXPECT_EQ(fake_.stored["aa"], "small");
  EXPECT_EQ(fake_.stored["bb"], large_);
  EXPECT_EQ(fake_.token, "Bearer secret");
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(CollectorClientTest, WhatTheServerHasIsNotSent) {
  fake_.stored["bb"] = large_;
  const auto outcome = Upload();
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->bytes_sent, 5u);
}

TEST_F(CollectorClientTest, UnavailableServerIsAskedAgainWithGrowingWaits) {
  fake_.answers = {{Unavailable()}, {Unavailable()}, {Unavailable()}};
  const auto outcome = Upload();
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->bytes_sent, large_.size() + 5);
  EXPECT_THAT(waits_,
              ElementsAre(absl::Milliseconds(250), absl::Milliseconds(500), absl::Seconds(1)));
  EXPECT_EQ(fake_.uploads, 4);
  ASSERT_THAT(notes_, SizeIs(3));
  EXPECT_THAT(notes_[0], HasSubstr("attempt 2 of 4"));
}

TEST_F(CollectorClientTest, ItGivesUpAndSaysWhatToDo) {
  fake_.answers = std::vector<Answer>(10, {Unavailable()});
  const auto outcome = Upload();
  EXPECT_EQ(outcome.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(outcome.status().message()),
              HasSubstr("ci:7070 cannot answer now: restarting"));
  EXPECT_EQ(fake_.uploads, 4);
}

TEST_F(CollectorClientTest, StreamCutAfterTheHeaderIsSentAgain) {
  fake_.answers = {{Unavailable(), "", true}};
  const auto outcome = Upload();
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(fake_.stored["bb"], large_);
}

TEST_F(CollectorClientTest, BlobsThatArrivedMeanwhileAreNotSentAgain) {
  fake_.answers = {{Unavailable()}};
  ClientOptions options;
  options.sleep = [this](absl::Duration) {
    const std::scoped_lock lock(fake_.mutex);
    fake_.stored["bb"] = large_;  // another job sent it meanwhile
  };
  options.random = [] { return 0.0; };
  options.notify = [](const std::string&) {};
  CollectorClient client(v1::Collector::NewStub(server_->InProcessChannel({})), "s", options);
  const auto outcome = client.Upload(header_, blobs_);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->bytes_sent, 5u);
}

TEST_F(CollectorClientTest, AnErrorOfTheTokenSourceDoesNotBlameTheServer) {
  ClientOptions options;
  options.token = [] { return absl::UnavailableError("no ID token"); };
  options.attempts = 1;
  const absl::Status status =
      CollectorClient(v1::Collector::NewStub(server_->InProcessChannel({})), "ci:7070", options)
          .Upload(header_, blobs_)
          .status();
  EXPECT_EQ(status, absl::UnavailableError("no ID token"));
}

TEST_F(CollectorClientTest, RefusedTokenIsFinal) {
  fake_.find_status = grpc::Status(grpc::StatusCode::UNAUTHENTICATED, "unknown token");
  const auto outcome = Upload();
  EXPECT_EQ(outcome.status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(std::string(outcome.status().message()), HasSubstr("--token-file"));
  EXPECT_THAT(std::string(outcome.status().message()), testing::Not(HasSubstr("secret")));
  EXPECT_THAT(waits_, IsEmpty());
  EXPECT_EQ(fake_.uploads, 0);
}

TEST_F(CollectorClientTest, WhatATokenMayNotDoIsSaidInTheServersWords) {
  fake_.find_status = grpc::Status(grpc::StatusCode::PERMISSION_DENIED, "this needs upload-main");
  const auto outcome = Upload();
  EXPECT_EQ(outcome.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(outcome.status().message()), HasSubstr("this needs upload-main"));
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(CollectorClientTest, ServerOfAnotherRoleIsNamedWithWhatItSays) {
  fake_.find_status = grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "its role is query");
  EXPECT_EQ(Upload().status().message(),
            "ci:7070 does not accept uploads (its role is query): set --server or GPROFHUB_SERVER "
            "to a server with the role collector that is at least as new as this command");
}

TEST_F(CollectorClientTest, NoErrorIsWithoutAMessage) {
  fake_.find_status = grpc::Status(grpc::StatusCode::INTERNAL, "");
  EXPECT_EQ(Upload().status().message(), "ci:7070: INTERNAL");
  fake_.find_status = grpc::Status(grpc::StatusCode::ABORTED, "");
  EXPECT_EQ(Upload().status().message(), "ci:7070: ABORTED");
  EXPECT_THAT(notes_[0], testing::StartsWith("ci:7070: ABORTED; retrying"));
}

TEST_F(CollectorClientTest, BadFieldIsFinal) {
  fake_.answers = {{grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "header.run.commit")}};
  EXPECT_EQ(Upload().status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(CollectorClientTest, FullDiskIsFinalUnlessTheServerSaysWhenToComeBack) {
  const grpc::Status full(grpc::StatusCode::RESOURCE_EXHAUSTED, "full");
  fake_.answers = {{full}};
  EXPECT_EQ(Upload().status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(waits_, IsEmpty());
  fake_.answers = {{full, "1500"}};
  EXPECT_TRUE(Upload().ok());
  EXPECT_THAT(waits_, ElementsAre(absl::Milliseconds(1500)));
}

TEST_F(CollectorClientTest, AnOverloadedServerIsObeyedForLongerThanOneThatFails) {
  const grpc::Status overloaded(grpc::StatusCode::RESOURCE_EXHAUSTED, "too much to do");
  fake_.answers = std::vector<Answer>(20, {overloaded, "5000"});
  EXPECT_TRUE(Upload().ok());
  EXPECT_THAT(waits_, SizeIs(20));
}

TEST_F(CollectorClientTest, AServerThatStaysOverloadedIsGivenUp) {
  const grpc::Status overloaded(grpc::StatusCode::RESOURCE_EXHAUSTED, "too much to do");
  fake_.answers = std::vector<Answer>(1000, {overloaded, "60000"});
  EXPECT_EQ(Upload().status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(waits_, SizeIs(10));  // a minute each
  waits_.clear();
  fake_.answers = {{overloaded, "86400000"}};
  EXPECT_EQ(Upload().status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(waits_, IsEmpty());
}

TEST_F(CollectorClientTest, ServerCannotAskForBlobsThatWereNotNamed) {
  blobs_.erase("bb");
  EXPECT_EQ(Upload().status().code(), absl::StatusCode::kInternal);
}

TEST_F(CollectorClientTest, TheEndOfARunIsSaidOnceAndNotInsistedOn) {
  EXPECT_TRUE(Client().FinishRun("p", "7").ok());
  EXPECT_THAT(fake_.finished, ElementsAre("p 7"));
  fake_.finish_status = grpc::Status(grpc::StatusCode::UNAVAILABLE, "down");
  const absl::Status status = Client().FinishRun("p", "7");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(fake_.finished, SizeIs(2));
  EXPECT_THAT(waits_, IsEmpty());
}

}  // namespace

}  // namespace gprofhub::ci
