#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/memory_budget.h"
#include "reporter/testing/stored_runs.h"
#include "server/http/page_server.h"

namespace gprofhub::server {

namespace {

using ::testing::HasSubstr;

constexpr char kCompare[] =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"compare"}})";

absl::StatusOr<collector::Caller> ReaderOrUploader(const collector::CallOrigin& call) {
  collector::Caller caller;
  caller.project = reporter::kProject;
  caller.actor = {"ann", call.peer, 1};
  if (call.authorization == "Bearer reader") {
    caller.scopes = collector::Scopes().With(collector::Scope::kRead);
    return caller;
  }
  if (call.authorization == "Bearer uploader") return caller;
  return absl::UnauthenticatedError("a token is needed");
}

class McpOverHttpTest : public reporter::StoredRunsTest {
 protected:
  void SetUp() override {
    StoredRunsTest::SetUp();
    Upload('a');
    Analyze(reporter::Profile(1000));
    Upload('b', {reporter::Commit('a')});
    Analyze(reporter::Profile(4000));
    PageServerOptions options;
    options.listen = {"127.0.0.1", 0};
    options.decoding = &decoding_;
    collector::Access access;
    access.authenticate = ReaderOrUploader;
    auto server = PageServer::Start(
        options, {{store_.reading, store_.blobs, store_.gate, store_.invocations}, {}}, access);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    client_ = std::make_unique<httplib::Client>("127.0.0.1", server_->address().port);
  }

  httplib::Response Post(const std::string& body, const httplib::Headers& headers,
                         const std::string& path = "/mcp?project=acme") {
    const auto result = client_->Post(path.c_str(), headers, body, "application/json");
    EXPECT_TRUE(result) << path;
    return result ? *result : httplib::Response();
  }

  const httplib::Headers reader_ = {{"Authorization", "Bearer reader"}};
  base::MemoryBudget decoding_{uint64_t{768} << 20};
  std::unique_ptr<PageServer> server_;
  std::unique_ptr<httplib::Client> client_;
};

TEST_F(McpOverHttpTest, AnswersWithOneMessage) {
  const httplib::Response answer = Post(kCompare, reader_);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.get_header_value("Content-Type"), "application/json");
  const auto result = nlohmann::json::parse(answer.body)["result"];
  EXPECT_EQ(result["structuredContent"]["findings"][0]["verdict"], "regressed");
  const httplib::Response silent = Post(R"({"method":"notifications/initialized"})", reader_);
  EXPECT_EQ(silent.status, 202);
  EXPECT_EQ(silent.body, "");
}

TEST_F(McpOverHttpTest, NeedsTheRightToRead) {
  EXPECT_EQ(Post(kCompare, {}).status, 401);
  EXPECT_EQ(Post(kCompare, {{"Authorization", "Bearer wrong"}}).status, 401);
  EXPECT_EQ(Post(kCompare, {{"Authorization", "Bearer uploader"}}).status, 403);
  EXPECT_EQ(Post(kCompare, reader_, "/mcp?project=other").status, 403);
  EXPECT_EQ(Post(kCompare, reader_, "/mcp").status, 403);
}

TEST_F(McpOverHttpTest, RefusesPagesOfOtherSites) {
  httplib::Headers headers = reader_;
  headers.emplace("Origin", "https://evil.example");
  EXPECT_EQ(Post(kCompare, headers).status, 403);
  headers = reader_;
  headers.emplace("Sec-Fetch-Site", "cross-site");
  EXPECT_EQ(Post(kCompare, headers).status, 403);
}

TEST_F(McpOverHttpTest, AnswersNothingElse) {
  EXPECT_EQ(client_->Get("/mcp?project=acme", reader_)->status, 405);
  EXPECT_EQ(Post("no JSON", reader_).status, 200);
  EXPECT_THAT(Post("no JSON", reader_).body, HasSubstr("-32700"));
  EXPECT_EQ(Post(std::string(9000, '['), reader_).status, 413);
}

}  // namespace

}  // namespace gprofhub::server
