// Servers that close the connection early, never end, or redirect, over real connections.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "store/objects/s3_objects.h"

namespace gprofhub::store {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class S3FaultsTest : public testing::Test {
 protected:
  S3FaultsTest() {
    // No keep-alive, so that the server ends at once.
    server_.set_keep_alive_max_count(1);
    port_ = server_.bind_to_any_port("127.0.0.1");
  }
  ~S3FaultsTest() override {
    server_.stop();
    thread_.join();
  }

  std::unique_ptr<ObjectStore> Open() {
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
    S3Options options;
    options.environment = [](const char* name) {
      return absl::StartsWith(name, "AWS_SE") ? "s3cret" : "AKIA";
    };
    options.clock.sleep = [](absl::Duration) {};
    options.timeout = absl::Minutes(10);
    options.retries.total = absl::Minutes(30);
    options.retries.attempts = 3;
    auto objects = OpenS3Objects(absl::StrCat("s3://profiles?endpoint=http://127.0.0.1:", port_),
                                 std::move(options));
    EXPECT_TRUE(objects.ok()) << objects.status();
    return *std::move(objects);
  }

  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

void AnswerWithPart(httplib::Response& response, const std::string& range) {
  response.status = 206;
  response.set_header("Content-Range", range);
}

TEST_F(S3FaultsTest, ABusyServerIsAskedAgain) {
  std::atomic<int> asked{0};
  server_.Get("/profiles/a", [&](const httplib::Request&, httplib::Response& response) {
    if (++asked < 3) {
      response.status = 503;
      response.set_content("<Error><Code>SlowDown</Code></Error>", "application/xml");
      return;
    }
    AnswerWithPart(response, "bytes 0-3/4");
    response.set_content("abcd", "application/octet-stream");
  });
  EXPECT_EQ(Open()->Read("a", 0, 4).value_or(""), "abcd");
  EXPECT_EQ(asked, 3);
}

TEST_F(S3FaultsTest, AnAnswerThatIsCutIsNotTaken) {
  std::atomic<int> asked{0};
  server_.Get("/profiles/a", [&](const httplib::Request&, httplib::Response& response) {
    ++asked;
    AnswerWithPart(response, "bytes 0-999/1000");
    response.set_content_provider(1000, "application/octet-stream",
                                  [](size_t offset, size_t, httplib::DataSink& sink) {
                                    if (offset > 0) return false;
                                    sink.write("abcd", 4);
                                    return true;
                                  });
  });
  const absl::Status status = Open()->Read("a", 0, 1000).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("127.0.0.1")));
  EXPECT_EQ(asked, 3);
}

TEST_F(S3FaultsTest, AnAnswerWithoutAnEndIsGivenUp) {
  const auto endless = [](const httplib::Request&, httplib::Response& response) {
    response.set_chunked_content_provider("application/octet-stream",
                                          [](size_t, httplib::DataSink& sink) {
                                            const std::string much(1 << 20, 'x');
                                            return sink.write(much.data(), much.size());
                                          });
  };
  server_.Get("/profiles/a", endless);
  server_.Get("/profiles/", endless);
  server_.Delete("/profiles/a", endless);
  const auto objects = Open();
  for (const absl::Status& status :
       {objects->Read("a", 0, 4).status(), objects->Delete("a"), objects->List("", "").status()}) {
    EXPECT_TRUE(absl::IsInternal(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("is longer than"));
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("127.0.0.1")));
  }
}

TEST_F(S3FaultsTest, ARedirectIsNotFollowed) {
  std::atomic<int> elsewhere{0};
  server_.Get("/elsewhere", [&](const httplib::Request&, httplib::Response&) { ++elsewhere; });
  for (const char* path : {"/profiles/a", "/profiles/"}) {
    server_.Get(path, [this](const httplib::Request&, httplib::Response& response) {
      // Another name of this machine counts as another host.
      response.set_redirect(absl::StrCat("http://localhost:", port_, "/elsewhere"), 307);
    });
  }
  const auto objects = Open();
  EXPECT_TRUE(absl::IsFailedPrecondition(objects->Read("a", 0, 4).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(objects->List("", "").status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(objects->Put("a", "bytes")));
  EXPECT_EQ(elsewhere, 0);
}

TEST_F(S3FaultsTest, AnAnswerThatWouldGrowIsRefused) {
  server_.Get("/profiles/", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(
        "<!DOCTYPE a [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>"
        "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;'>]>"
        "<ListBucketResult>&d;</ListBucketResult>",
        "application/xml");
  });
  const absl::Status status = Open()->List("", "").status();
  EXPECT_TRUE(absl::IsInternal(status)) << status;
}

}  // namespace

}  // namespace gprofhub::store
