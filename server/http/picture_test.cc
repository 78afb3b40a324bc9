// Access to a picture with its address, and with a forged one.
#include <gtest/gtest.h>
#include <httplib.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/memory_budget.h"
#include "collector/access/authorizer.h"
#include "reporter/posting/post_report.h"
#include "reporter/testing/profile_builder.h"
#include "reporter/testing/stored_runs.h"
#include "server/http/page_server.h"

namespace gprofhub::server {

namespace {

using reporter::kProject;
using reporter::kTarget;
using reporter::TrendPicture;

const std::string kKey(32, 'k');

// Every caller needs a token, and none exists.
absl::StatusOr<collector::Caller> Nobody(const collector::CallOrigin&) {
  return absl::UnauthenticatedError("a token is needed");
}

class PictureTest : public reporter::StoredRunsTest {
 protected:
  void SetUp() override {
    Upload('a');
    Analyze(reporter::Profile(1000));
    run_ = Upload('b', {reporter::Commit('a')});
    Analyze(reporter::Profile(4000));
    Start(kKey);
  }

  void Start(const std::string& key) {
    PageServerOptions options;
    options.listen = {"127.0.0.1", 0};
    options.decoding = &decoding_;
    collector::Access access;
    access.authenticate = Nobody;
    PageSources sources = {{store_.reading, store_.blobs, store_.gate, store_.invocations}, {}};
    sources.pictures = {key, [this] { return now_; }};
    auto server = PageServer::Start(options, std::move(sources), std::move(access));
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  TrendPicture Picture() const {
    return {kProject, run_, reporter::Commit('a'), "_Z5parsei", kTarget, false};
  }
  std::string Address(const TrendPicture& picture, const std::string& key = kKey) const {
    return SignedPictureAddress(picture, now_ + absl::Hours(1), key);
  }

  httplib::Response Get(const std::string& path) const {
    httplib::Client client("127.0.0.1", server_->address().port);
    client.set_read_timeout(300);
    const auto result = client.Get(path.c_str());
    EXPECT_TRUE(result) << path;
    return result ? *result : httplib::Response();
  }

  // All that a client learns of a refusal.
  static std::string AllOf(const httplib::Response& response) {
    std::string all = absl::StrCat(response.status, "\n");
    for (const auto& [name, value] : response.headers) {
      if (name != "Date") absl::StrAppend(&all, name, ": ", value, "\n");
    }
    return absl::StrCat(all, "\n", response.body);
  }

  absl::Time now_ = reporter::kNow;
  int64_t run_ = 0;
  base::MemoryBudget decoding_{uint64_t{768} << 20};
  std::unique_ptr<PageServer> server_;
};

TEST_F(PictureTest, WhoHasTheAddressSeesThePicture) {
  const httplib::Response picture = Get(Address(Picture()));
  EXPECT_EQ(picture.status, 200);
  EXPECT_EQ(picture.get_header_value("Content-Type"), "image/svg+xml");
  EXPECT_TRUE(absl::StartsWith(picture.body, "<?xml")) << picture.body;
  EXPECT_TRUE(absl::StrContains(picture.body, "Calls of parse")) << picture.body;
  EXPECT_TRUE(absl::StrContains(picture.body, "4,000 calls")) << picture.body;
  TrendPicture time = Picture();
  time.is_time = true;
  EXPECT_TRUE(absl::StrContains(Get(Address(time)).body, "Self time of parse"));
}

TEST_F(PictureTest, APictureCanDoNothing) {
  const httplib::Response picture = Get(Address(Picture()));
  EXPECT_EQ(picture.get_header_value("Content-Security-Policy"),
            "default-src 'none'; sandbox; frame-ancestors 'none'");
  EXPECT_EQ(picture.get_header_value("X-Content-Type-Options"), "nosniff");
  // The forge's page shows it.
  EXPECT_EQ(picture.get_header_value("Cross-Origin-Resource-Policy"), "cross-origin");
  EXPECT_FALSE(picture.has_header("Set-Cookie")) << "it opens nothing else";
}

TEST_F(PictureTest, ItEndsWithItsRun) {
  Upload('c', {reporter::Commit('b')});
  Analyze(reporter::Profile(9000));
  const std::string picture = Get(Address(Picture())).body;
  EXPECT_TRUE(absl::StrContains(picture, "the last 2 runs")) << picture;
  EXPECT_FALSE(absl::StrContains(picture, "9,000")) << picture;
}

TEST_F(PictureTest, EveryRefusalIsTheSame) {
  const std::string good = Address(Picture());
  TrendPicture of_nobody = Picture(), of_other = Picture(), of_none = Picture();
  of_nobody.run_id = 999;
  of_other.project = "other";
  of_none.function = "_Z4nonev";
  const std::vector<std::string> bad = {
      "/picture/trend.svg",
      absl::StrCat(good, "0"),
      good.substr(0, good.size() - 1),
      absl::StrReplaceAll(good, {{"parse", "other"}}),
      absl::StrReplaceAll(good, {{"project=acme", "project=other"}}),
      absl::StrReplaceAll(good, {{"until=", "until=9"}}),
      absl::StrReplaceAll(good, {{"run=", "run=0x"}}),
      SignedPictureAddress(Picture(), now_, kKey),
      Address(Picture(), std::string(32, 'o')),
      Address(of_nobody),
      Address(of_other),
      Address(of_none),
  };
  const std::string refusal = AllOf(Get(bad.front()));
  EXPECT_TRUE(absl::StartsWith(refusal, "404\n")) << refusal;
  for (const std::string& path : bad) EXPECT_EQ(AllOf(Get(path)), refusal) << path;
  EXPECT_EQ(Get(good).status, 200);
}

TEST_F(PictureTest, AnAddressExpires) {
  const std::string address = Address(Picture());
  now_ += absl::Hours(1);
  EXPECT_EQ(AllOf(Get(address)), AllOf(Get("/picture/trend.svg")));
}

TEST_F(PictureTest, TheAddressOpensNothingElse) {
  const std::string address = Address(Picture());
  const std::string query = address.substr(address.find('?'));
  for (const std::string path : {"/p/acme", "/p/acme/function", "/api/v1/projects/acme/function",
                                 "/picture", "/picture/trend.svg/x", "/picture/other.svg"}) {
    const httplib::Response response = Get(path + query);
    EXPECT_NE(response.status, 200) << path;
    EXPECT_FALSE(absl::StrContains(response.body, "parse(int)")) << response.body;
  }
  httplib::Client client("127.0.0.1", server_->address().port);
  client.set_read_timeout(300);
  const auto posted = client.Post(address.c_str(), httplib::Params());
  ASSERT_TRUE(posted);
  EXPECT_NE(posted->status, 200);
}

TEST_F(PictureTest, WithoutAKeyThereAreNone) {
  const std::string refusal = AllOf(Get("/picture/trend.svg"));
  Start("");
  EXPECT_EQ(AllOf(Get(Address(Picture(), ""))), refusal);
  EXPECT_EQ(AllOf(Get(Address(Picture()))), refusal);
}

}  // namespace

}  // namespace gprofhub::server
