// Attacks with ID tokens on a real server process that trusts an issuer on loopback. The checks of
// the token itself are attacked in collector/access/issuers_test.cc.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "collector/testing/fake_issuer.h"
#include "collector/testing/sample_upload.h"
#include "proto/collector.pb.h"
#include "proto/query.grpc.pb.h"
#include "store/testing/temp_store.h"
#include "tests/fault/client.h"
#include "tests/fault/serve_process.h"

namespace gprofhub::tests {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

class IssuerPage {
 public:
  explicit IssuerPage(const std::string& key_set) {
    server_.Get("/keys", [key_set](const httplib::Request&, httplib::Response& response) {
      response.set_content(key_set, "application/json");
    });
    url_ = absl::StrCat("http://127.0.0.1:", server_.bind_to_any_port("127.0.0.1"));
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~IssuerPage() {
    server_.stop();
    thread_.join();
  }
  const std::string& url() const { return url_; }

 private:
  httplib::Server server_;
  std::string url_;
  std::thread thread_;
};

class IdTokenTest : public testing::Test {
 protected:
  std::string IssuersFile() const {
    Json project = {{"repository", "acme/db"}, {"project", "default"}};
    project["main"] = Json::array({"main"});
    Json issuer = {{"issuer", issuer_.url()},
                   {"system", "github"},
                   {"audience", "gprofhub"},
                   {"keys", issuer_.url() + "/keys"}};
    issuer["projects"] = Json::array({project});
    Json file;
    file["issuers"] = Json::array({issuer});
    const std::string path = folder_ + "/issuers.json";
    std::ofstream(path) << file;
    return path;
  }
  std::string Token(const std::string& event, const std::string& ref,
                    const std::string& repository = "acme/db") const {
    const int64_t now = absl::ToUnixSeconds(absl::Now());
    return collector::Sign({{"iss", issuer_.url()},
                            {"aud", "gprofhub"},
                            {"iat", now},
                            {"exp", now + 3600},
                            {"repository", repository},
                            {"event_name", event},
                            {"ref", ref},
                            {"head_ref", "feature"},
                            {"run_id", "4711"}},
                           "RS256", "one", key_.PrivatePem());
  }
  grpc::Status Upload(const collector::SampleUpload& upload, const std::string& token) {
    v1::UploadResponse response;
    return Send(
        server_.Connect(), upload, token, [] {}, response);
  }
  v1::RunInfo OnlyRun(const std::string& token) {
    v1::ListRunsRequest request;
    request.set_project("default");
    v1::ListRunsResponse response;
    grpc::ClientContext call;
    call.AddMetadata("authorization", "Bearer " + token);
    const grpc::Status status =
        v1::Query::NewStub(server_.Connect())->ListRuns(&call, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response.runs_size(), 1);
    return response.runs_size() == 1 ? response.runs(0).info() : v1::RunInfo();
  }

  const collector::FakeKey key_ = collector::FakeKey::Rsa();
  const IssuerPage issuer_{collector::KeySet({key_.Jwk("one")})};
  const std::string folder_ = store::MakeTempDir();
  ServeProcess server_{
      std::vector<std::string>{"--data-dir", folder_, "--id-tokens", IssuersFile()}};
  const collector::SampleUpload upload_ = FaultTestUpload(1);  // claims the main line
};

TEST_F(IdTokenTest, AMainBranchsJobSendsTheMainLineAndIsNamedInTheLog) {
  const std::string token = Token("push", "refs/heads/main");
  const grpc::Status status = Upload(upload_, token);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(OnlyRun(token).pull_request(), "");
  EXPECT_THAT(RunGprofhub({"audit", "--data-dir", folder_}).out,
              HasSubstr("github acme/db refs/heads/main run 4711"));
}

TEST_F(IdTokenTest, APullRequestsJobThatSaysMainLineSendsItsPullRequest) {
  const std::string token = Token("pull_request", "refs/pull/17/merge");
  const grpc::Status status = Upload(upload_, token);
  ASSERT_TRUE(status.ok()) << status.error_message();
  const v1::RunInfo run = OnlyRun(token);
  EXPECT_EQ(run.pull_request(), "17");
  EXPECT_EQ(run.branch(), "feature");
}

TEST_F(IdTokenTest, AStrangersCodeInTheMainBranchsNameIsAForks) {
  const std::string token = Token("pull_request_target", "refs/heads/main");
  ASSERT_TRUE(Upload(upload_, token).ok());
  EXPECT_TRUE(OnlyRun(token).from_fork());
}

TEST_F(IdTokenTest, OthersGetNothing) {
  const collector::FakeKey other = collector::FakeKey::Rsa();
  const std::string good = Token("push", "refs/heads/main");
  for (const std::string& token :
       {std::string(), Token("push", "refs/heads/main", "evil/db"), good.substr(0, good.size() - 9),
        collector::Sign({{"iss", issuer_.url()}, {"aud", "gprofhub"}}, "HS256", "one",
                        key_.PublicPem()),
        collector::Sign({{"iss", issuer_.url()}, {"aud", "gprofhub"}}, "RS256", "one",
                        other.PrivatePem())}) {
    EXPECT_EQ(Upload(upload_, token).error_code(), grpc::StatusCode::UNAUTHENTICATED) << token;
  }
  EXPECT_EQ(Upload(upload_, Token("push", "refs/heads/feature")).error_code(),
            grpc::StatusCode::PERMISSION_DENIED)
      << "no branch whose jobs may send the main line";
  ASSERT_TRUE(Upload(upload_, good).ok());
  OnlyRun(good);
}

}  // namespace
}  // namespace gprofhub::tests
