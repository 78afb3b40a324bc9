// ID tokens of an issuer on loopback.
#include "server/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "collector/testing/fake_issuer.h"
#include "store/testing/temp_store.h"

namespace gprofhub::server {

namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

IssuerOptions Named(const std::string& file) {
  IssuerOptions options;
  options.file = file;
  return options;
}

class IssuerOnLoopback : public testing::Test {
 protected:
  IssuerOnLoopback() {
    server_.Get("/.well-known/openid-configuration",
                [this](const httplib::Request&, httplib::Response& response) {
                  const Json page = {{"issuer", url_}, {"jwks_uri", url_ + "/keys"}};
                  response.set_content(page.dump(), "application/json");
                });
    server_.Get("/keys", [this](const httplib::Request&, httplib::Response& response) {
      if (hang_) release_.WaitForNotification();
      response.set_content(page_, "application/json");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    url_ = absl::StrCat("http://127.0.0.1:", port_);
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~IssuerOnLoopback() override {
    release_.Notify();
    server_.stop();
    thread_.join();
  }

  std::string File(const Json& issuer) const {
    const std::string path = folder_ + "/issuers.json";
    Json file;
    file["issuers"] = Json::array({issuer});
    std::ofstream(path) << file;
    return path;
  }
  Json Issuer() const {
    return {
        {"issuer", url_},
        {"system", "github"},
        {"audience", "gprofhub"},
        {"projects",
         Json::array(
             {{{"repository", "acme/db"}, {"project", "db"}, {"main", Json::array({"main"})}}})}};
  }
  std::string Token() const {
    const int64_t now = absl::ToUnixSeconds(now_);
    return collector::Sign({{"iss", url_},
                            {"aud", "gprofhub"},
                            {"exp", now + 300},
                            {"iat", now},
                            {"repository", "acme/db"},
                            {"ref", "refs/heads/main"},
                            {"event_name", "push"}},
                           "ES256", "one", key_.PrivatePem());
  }
  absl::StatusOr<collector::Caller> Show(absl::Duration timeout = absl::Seconds(60)) const {
    const auto tokens = MakeIdTokens({File(Issuer()), "", timeout});
    EXPECT_TRUE(tokens.ok()) << tokens.status();
    return (*tokens)(Token(), now_);
  }

  const absl::Time now_ = absl::Now();
  const std::string folder_ = store::MakeTempDir();
  const collector::FakeKey key_ = collector::FakeKey::Ec();
  std::string page_ = collector::KeySet({key_.Jwk("one")});
  bool hang_ = false;
  absl::Notification release_;
  httplib::Server server_;
  int port_ = 0;
  std::string url_;
  std::thread thread_;
};

TEST_F(IssuerOnLoopback, ItsKeysAreFoundByDiscovery) {
  const absl::StatusOr<collector::Caller> caller = Show();
  ASSERT_TRUE(caller.ok()) << caller.status();
  EXPECT_EQ(caller->project, "db");
  EXPECT_EQ(caller->scopes.Names(), "upload,upload-main,read");
}

TEST_F(IssuerOnLoopback, AHugeAnswerIsNotRead) {
  page_ = collector::KeySet({key_.Jwk("one")}) + std::string(1 << 20, ' ');
  const absl::Status status = Show().status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
}

TEST_F(IssuerOnLoopback, ASlowAnswerIsNotWaitedFor) {
  hang_ = true;
  const absl::Status status = Show(absl::Milliseconds(50)).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
}

TEST_F(IssuerOnLoopback, WhatIsWrongInTheFileIsNamedWithIt) {
  Json unknown = Issuer();
  unknown["scopes"] = "admin";
  Json project = Issuer();
  project["projects"][0]["project"] = "a b";
  Json clear = Issuer();
  clear["issuer"] = "http://issuer.example";
  for (const Json& issuer : {unknown, project, clear}) {
    const std::string file = File(issuer);
    const absl::Status status = MakeIdTokens(Named(file)).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(file));
  }
  EXPECT_FALSE(MakeIdTokens(Named(folder_ + "/nowhere.json")).ok());
  EXPECT_EQ(*MakeIdTokens({}), nullptr);
}

}  // namespace

}  // namespace gprofhub::server
