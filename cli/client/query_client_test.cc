#include "cli/client/query_client.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Says of each answer how old it is, or nothing.
class CopyOfDatabase final : public v1::Query::Service {
 public:
  explicit CopyOfDatabase(std::string as_of) : as_of_(std::move(as_of)) {}

  grpc::Status ListRuns(grpc::ServerContext* call, const v1::ListRunsRequest*,
                        v1::ListRunsResponse*) override {
    Trail(*call);
    return grpc::Status::OK;
  }

  grpc::Status GetListing(grpc::ServerContext* call, const v1::GetListingRequest*,
                          grpc::ServerWriter<v1::TextChunk>* writer) override {
    v1::TextChunk chunk;
    chunk.set_text("a listing");
    writer->Write(chunk);
    Trail(*call);
    return grpc::Status::OK;
  }

 private:
  void Trail(grpc::ServerContext& call) const {
    if (!as_of_.empty()) call.AddTrailingMetadata("gprofhub-as-of", as_of_);
  }

  const std::string as_of_;
};

// git with the revisions HEAD, HEAD~1 and the tag v1.
absl::StatusOr<std::string> FakeGit(const std::vector<std::string>& words) {
  for (const auto& [revision, commit] :
       {std::pair("HEAD^{commit}", "c0"), std::pair("HEAD~1^{commit}", "c1"),
        std::pair("@^{commit}", "c0"), std::pair("refs/tags/v1^{commit}", "c2"),
        std::pair("refs/tags/deadbeef^{commit}", "c3")}) {
    if (words.back() == revision) return std::string(commit);
  }
  return absl::NotFoundError("");
}

TEST(CommitOfName, IsOfHeadAndTags) {
  EXPECT_EQ(CommitOfName(FakeGit, "HEAD"), "c0");
  EXPECT_EQ(CommitOfName(FakeGit, "@"), "c0");
  EXPECT_EQ(CommitOfName(FakeGit, "HEAD~1"), "c1");
  EXPECT_EQ(CommitOfName(FakeGit, "v1"), "c2");
  for (const char* of_server : {"", "latest", "latest~1", "#17", "17", "deadbeef", "main", "HEADS",
                                "-HEAD", "--all", "HEAD~9"}) {
    EXPECT_EQ(CommitOfName(FakeGit, of_server), "") << of_server;
  }
}

class QueryClientTest : public testing::Test {
 protected:
  void Start(const std::string& as_of) {
    service_ = std::make_unique<CopyOfDatabase>(as_of);
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(service_.get());
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
    options_.server = absl::StrCat("127.0.0.1:", port);
    options_.project = "default";
  }

  ServerOptions options_;
  std::ostringstream notes_;

 private:
  std::unique_ptr<CopyOfDatabase> service_;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(QueryClientTest, NotesOnceHowOldTheAnswersAre) {
  Start("2026-11-24T10:30:00+00:00");
  QueryClient client(options_, notes_);
  ASSERT_TRUE(client.Call(&QueryStub::ListRuns, {}).ok());
  ASSERT_TRUE(client.Call(&QueryStub::ListRuns, {}).ok());
  EXPECT_EQ(notes_.str(), absl::StrCat("note: ", options_.server,
                                       " answers from a replica of the database, as of "
                                       "2026-11-24 10:30:00 UTC\n"));
}

TEST_F(QueryClientTest, NotesItOfAListingToo) {
  Start("2026-11-24T10:30:00+00:00");
  QueryClient client(options_, notes_);
  const absl::StatusOr<std::string> listing = client.Call(&QueryStub::GetListing, {});
  ASSERT_TRUE(listing.ok()) << listing.status();
  EXPECT_EQ(*listing, "a listing");
  EXPECT_THAT(notes_.str(), HasSubstr("as of 2026-11-24 10:30:00 UTC"));
}

TEST_F(QueryClientTest, NotesNothingOfAServerThatHasTheNewest) {
  Start("");
  QueryClient client(options_, notes_);
  ASSERT_TRUE(client.Call(&QueryStub::ListRuns, {}).ok());
  EXPECT_THAT(notes_.str(), IsEmpty());
}

// The variables of a job of GitHub Actions.
class TokenSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("GITHUB_ACTIONS", "true", 1);
    setenv("GPROFHUB_ID_TOKEN_AUDIENCE", "gprofhub", 1);
  }
  void TearDown() override {
    for (const char* name : {"GITHUB_ACTIONS", "GPROFHUB_ID_TOKEN_AUDIENCE",
                             "ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"}) {
      unsetenv(name);
    }
  }
};

TEST_F(TokenSourceTest, AJobThatMayNotGetIdTokensNamesThePermission) {
  const absl::Status status = TokenSourceOf({})().status();
  EXPECT_TRUE(absl::IsUnauthenticated(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("id-token: write"));
  unsetenv("GITHUB_ACTIONS");
  EXPECT_EQ(*TokenSourceOf({})(), "") << "on another machine";
}

TEST_F(TokenSourceTest, ATokenOfTheCommandLineIsUsedInstead) {
  ServerOptions options;
  options.token = "gph_1";
  EXPECT_EQ(*TokenSourceOf(options)(), "gph_1");
}

TEST_F(TokenSourceTest, ARequestTokenThatIsNotAsciiIsNotShown) {
  setenv("ACTIONS_ID_TOKEN_REQUEST_URL", "https://ci.invalid/", 1);
  setenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "sec\nret", 1);
  const absl::Status status = TokenSourceOf({})().status();
  EXPECT_TRUE(absl::IsUnauthenticated(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("ACTIONS_ID_TOKEN_REQUEST_TOKEN"));
  EXPECT_THAT(std::string(status.message()), testing::Not(HasSubstr("sec")));
}

TEST_F(QueryClientTest, ShowsNothingThatIsNoTime) {
  Start("yesterday, honestly");
  QueryClient client(options_, notes_);
  ASSERT_TRUE(client.Call(&QueryStub::ListRuns, {}).ok());
  EXPECT_THAT(notes_.str(), IsEmpty());
}

}  // namespace

}  // namespace gprofhub::cli
