#include "cli/client/bazel_credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kServer[] = "https://gprofhub.example.com";

std::string RequestFor(const std::string& uri) { return nlohmann::json({{"uri", uri}}).dump(); }

absl::StatusOr<std::string> Get(const std::string& request, const std::string& server = kServer,
                                const std::string& token = "gph_1") {
  return BazelCredentials(request, server, ci::FixedToken(token));
}

std::string IdToken(const std::string& expiry) {
  return absl::StrCat("e30.", absl::WebSafeBase64Escape(absl::StrCat("{\"exp\":", expiry, "}")),
                      ".c2ln");
}

TEST(BazelCredentialsTest, TokenIsAHeader) {
  const auto response = Get(RequestFor("https://gprofhub.example.com/service.Name"));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(*response, R"({"headers":{"authorization":["Bearer gph_1"]}})");
}

TEST(BazelCredentialsTest, UnknownFieldsAreIgnored) {
  const auto response = Get(R"({"uri": "https://gprofhub.example.com", "more": [{}]})");
  EXPECT_TRUE(response.ok()) << response.status();
}

TEST(BazelCredentialsTest, ExpiryIsThatOfTheIdToken) {
  const std::string request = RequestFor(kServer);
  const auto response = Get(request, kServer, IdToken("1893456000"));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_THAT(*response, HasSubstr(R"("expires":"2030-01-01T00:00:00+00:00")"));
  for (const char* expiry : {"-1", "253402300800", "9223372036854775807", "\"soon\""}) {
    const auto without = Get(request, kServer, IdToken(expiry));
    ASSERT_TRUE(without.ok()) << without.status();
    EXPECT_THAT(*without, Not(HasSubstr("expires"))) << expiry;
  }
}

TEST(BazelCredentialsTest, HostIsComparedWithoutSchemeAndPort) {
  for (const auto& [uri, server] : {
           std::pair("https://gprofhub.example.com:7070/a", kServer),
           std::pair("https://GPROFHUB.example.com/a", kServer),
           std::pair("https://gprofhub.example.com", "gprofhub.example.com:7070"),
           std::pair("grpcs://gprofhub.example.com?x=1", kServer),
           std::pair("https://localhost:7070/a", "127.0.0.1:7070"),
           std::pair("https://[::1]:7070/a", "localhost:7070"),
           std::pair("https://[2001:db8::1]/a", "[2001:db8::1]:7070"),
       }) {
    EXPECT_TRUE(Get(RequestFor(uri), server).ok()) << uri << " " << server;
  }
}

TEST(BazelCredentialsTest, OtherHostsGetNoToken) {
  for (const char* uri : {
           "https://example.com/",
           "https://gprofhub.example.com.evil.org/",
           "https://evil.org/gprofhub.example.com",
           "https://evil.org#gprofhub.example.com",
           "https://evil.org?@gprofhub.example.com",
       }) {
    bool asked = false;
    const auto response = BazelCredentials(RequestFor(uri), kServer, [&asked] {
      asked = true;
      return "gph_1";
    });
    EXPECT_EQ(response.status().code(), absl::StatusCode::kPermissionDenied) << uri;
    EXPECT_FALSE(asked) << "an ID token was requested for " << uri;
    EXPECT_THAT(response.status().message(), HasSubstr("set GPROFHUB_SERVER"));
  }
}

TEST(BazelCredentialsTest, BadRequestsAreExplained) {
  for (const auto& [request, problem] : {
           std::pair("", "not a JSON object"),
           std::pair("get", "not a JSON object"),
           std::pair("[]", "not a JSON object"),
           std::pair("{\"uri\": \"https://a\"} {}", "not a JSON object"),
           std::pair("{}", "no \"uri\""),
           std::pair("{\"url\": \"https://a\"}", "no \"uri\""),
           std::pair("{\"uri\": [\"https://a\"]}", "not a string"),
           std::pair("{\"uri\": \"gprofhub.example.com\"}", "no scheme"),
           std::pair("{\"uri\": \"ftp://gprofhub.example.com\"}", "scheme is not"),
           std::pair("{\"uri\": \"https://\"}", "no valid host"),
           std::pair("{\"uri\": \"https://a:99999\"}", "no valid host"),
           std::pair("{\"uri\": \"https://gprofhub.example.com@evil.org\"}", "no valid host"),
           std::pair("{\"uri\": \"https://a\\nb/\"}", "no valid host"),
       }) {
    const auto response = Get(request);
    EXPECT_EQ(response.status().code(), absl::StatusCode::kInvalidArgument) << request;
    EXPECT_THAT(response.status().message(), HasSubstr(problem)) << request;
  }
}

TEST(BazelCredentialsTest, MissingTokenIsAnError) {
  const auto none = Get(RequestFor(kServer), kServer, "");
  EXPECT_EQ(none.status().code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(none.status().message(), HasSubstr("set GPROFHUB_TOKEN or"));
  const auto failed = BazelCredentials(RequestFor(kServer), kServer,
                                       [] { return absl::UnavailableError("GitHub is away"); });
  EXPECT_EQ(failed.status(), absl::UnavailableError("GitHub is away"));
}

}  // namespace

}  // namespace gprofhub::cli
