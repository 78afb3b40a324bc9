#include "server/http/page_request.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/hash.h"
#include "base/http/percent_coding.h"
#include "collector/testing/fake_issuer.h"

namespace gprofhub::server {

namespace {

constexpr char kIssuer[] = "https://accounts.example.com";
constexpr char kBack[] = "https://gprofhub.example/login/done";
constexpr char kSession[] = "the browser's cookie";

std::map<std::string, std::string> FieldsOf(absl::string_view form) {
  std::map<std::string, std::string> fields;
  for (const absl::string_view part : absl::StrSplit(form, '&')) {
    const std::pair<std::string, std::string> pair = absl::StrSplit(part, absl::MaxSplits('=', 1));
    fields[pair.first] = base::PercentDecoded(pair.second);
  }
  return fields;
}

// An issuer that returns the code "good" once its page was opened.
class LoginIssuerTest : public testing::Test {
 protected:
  LoginIssuerTest() {
    options_.issuer = kIssuer;
    options_.client = "gprofhub";
    options_.secret = "s e:cret";
    options_.back = kBack;
    options_.users = {"*@acme.example", "bob@other.example"};
  }

  LoginIssuer& login() {
    if (login_ == nullptr) {
      login_ = std::make_unique<LoginIssuer>(
          options_, [this](const base::HttpRequest& request) { return Answer(request); },
          [this] { return now_; });
    }
    return *login_;
  }

  absl::StatusOr<base::HttpResponse> Answer(const base::HttpRequest& request) {
    ++asked_;
    if (is_away_) return absl::UnavailableError("no answer");
    const std::string at = kIssuer;
    if (request.url == at + "/.well-known/openid-configuration") {
      return base::HttpResponse{200, {}, configuration_.dump()};
    }
    if (request.url == at + "/keys") {
      return base::HttpResponse{200, {}, collector::KeySet({key_.Jwk("k1")})};
    }
    if (request.url == at + "/me") {
      EXPECT_EQ(request.headers.at("Authorization"), "Bearer access");
      return base::HttpResponse{200, {}, person_.dump()};
    }
    EXPECT_EQ(request.url, at + "/token");
    EXPECT_EQ(request.method, "POST");
    sent_ = FieldsOf(request.body);
    authorization_ = request.headers.at("Authorization");
    if (sent_["code"] != "good")
      return base::HttpResponse{400, {}, "{\"error\": \"invalid_grant\"}"};
    const nlohmann::json body = {
        {"id_token", collector::Sign(claims_, algorithm_, "k1", key_.PrivatePem())},
        {"access_token", "access"}};
    return base::HttpResponse{200, {}, body.dump()};
  }

  // Begins a log-in, and returns the parameters of the redirect to the issuer.
  std::map<std::string, std::string> Begin(const std::string& session = kSession) {
    const absl::StatusOr<LoginIssuer::Begun> begun = login().Begin(session, "/p/acme");
    EXPECT_TRUE(begun.ok()) << begun.status();
    if (!begun.ok()) return {};
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(begun->url.text(""), absl::MaxSplits('?', 1));
    EXPECT_EQ(parts.first, std::string(kIssuer) + "/authorize");
    std::map<std::string, std::string> asked = FieldsOf(parts.second);
    EXPECT_EQ(asked["state"], begun->state);
    asked["cookie"] = begun->cookie;
    claims_ = {{"iss", kIssuer},
               {"aud", "gprofhub"},
               {"sub", "17"},
               {"exp", absl::ToUnixSeconds(now_ + absl::Minutes(5))},
               {"iat", absl::ToUnixSeconds(now_)},
               {"nonce", asked["nonce"]},
               {"email", "ann@acme.example"},
               {"email_verified", true}};
    return asked;
  }

  absl::StatusOr<LoginIssuer::LoggedIn> End(std::map<std::string, std::string> asked,
                                            const std::string& session = kSession,
                                            const std::string& code = "good") {
    return login().End(session, asked["cookie"], asked["state"], code);
  }

  const collector::FakeKey key_ = collector::FakeKey::Rsa();
  std::string algorithm_ = "RS256";
  nlohmann::json configuration_ = {{"issuer", kIssuer},
                                   {"authorization_endpoint", std::string(kIssuer) + "/authorize"},
                                   {"token_endpoint", std::string(kIssuer) + "/token"},
                                   {"userinfo_endpoint", std::string(kIssuer) + "/me"},
                                   {"jwks_uri", std::string(kIssuer) + "/keys"}};
  nlohmann::json claims_;
  nlohmann::json person_;  // at the endpoint for users
  bool is_away_ = false;
  int asked_ = 0;
  std::map<std::string, std::string> sent_;
  std::string authorization_;
  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  LoginIssuerOptions options_;
  std::unique_ptr<LoginIssuer> login_;
};

TEST_F(LoginIssuerTest, AUserOfTheIssuerComesIn) {
  std::map<std::string, std::string> asked = Begin();
  EXPECT_EQ(asked["response_type"], "code");
  EXPECT_EQ(asked["client_id"], "gprofhub");
  EXPECT_EQ(asked["redirect_uri"], kBack);
  EXPECT_EQ(asked["scope"], "openid email");
  EXPECT_EQ(asked["code_challenge_method"], "S256");
  const absl::StatusOr<LoginIssuer::LoggedIn> user = End(asked);
  ASSERT_TRUE(user.ok()) << user.status();
  EXPECT_EQ(user->user, "ann@acme.example");
  EXPECT_EQ(user->next, "/p/acme");
  EXPECT_EQ(sent_["redirect_uri"], kBack);
  EXPECT_EQ(
      absl::WebSafeBase64Escape(absl::HexStringToBytes(base::Sha256Hex(sent_["code_verifier"]))),
      asked["code_challenge"]);
  EXPECT_EQ(authorization_, "Basic " + absl::Base64Escape("gprofhub:s%20e%3Acret"));
}

TEST_F(LoginIssuerTest, AStateIsOfOneBrowserOneTimeAndAWhile) {
  std::map<std::string, std::string> asked = Begin();
  EXPECT_TRUE(absl::IsUnauthenticated(End(asked, "another cookie").status()));
  EXPECT_TRUE(End(asked).ok());
  EXPECT_TRUE(absl::IsUnauthenticated(End(asked).status())) << "it was taken";
  asked = Begin();
  now_ += options_.patience;
  EXPECT_TRUE(absl::IsUnauthenticated(End(asked).status())) << "it took too long";
  EXPECT_TRUE(absl::IsUnauthenticated(login().End(kSession, asked["cookie"], "", "good").status()));
  EXPECT_TRUE(
      absl::IsUnauthenticated(login().End(kSession, asked["cookie"], "guessed", "good").status()));
}

TEST_F(LoginIssuerTest, ACodeThatTheIssuerDoesNotTakeOpensNothing) {
  EXPECT_TRUE(absl::IsUnauthenticated(End(Begin(), kSession, "bad").status()));
  EXPECT_TRUE(absl::IsUnauthenticated(End(Begin(), kSession, "").status()));
}

TEST_F(LoginIssuerTest, ATokenThatIsNotOfThisLogInOpensNothing) {
  const std::vector<std::pair<const char*, nlohmann::json>> wrong = {
      {"nonce", "of another log-in"},
      {"aud", "another client"},
      {"aud", nlohmann::json::array({"gprofhub", "another client"})},
      {"azp", "another client"},
      {"iss", "https://evil.example"},
      {"exp", 1'600'000'000},
      {"iat", 1'800'000'000},
      {"email_verified", false},
      {"email_verified", "true"},
      {"email", ""}};
  for (const auto& [name, value] : wrong) {
    const std::map<std::string, std::string> asked = Begin();
    claims_[name] = value;
    EXPECT_TRUE(absl::IsUnauthenticated(End(asked).status())) << name << " " << value;
  }
  const std::map<std::string, std::string> asked = Begin();
  algorithm_ = "none";
  EXPECT_TRUE(absl::IsUnauthenticated(End(asked).status()));
}

TEST_F(LoginIssuerTest, AnAddressThatIsNotInTheTokenIsAskedForOfTheSameSubject) {
  const nlohmann::json good = {
      {"sub", "17"}, {"email", "ann@acme.example"}, {"email_verified", true}};
  const auto end = [&](const char* field, const nlohmann::json& value) {
    const std::map<std::string, std::string> asked = Begin();
    claims_.erase("email");
    claims_.erase("email_verified");
    person_ = good;
    if (field != nullptr) person_[field] = value;
    return End(asked);
  };
  const auto in = end(nullptr, {});
  ASSERT_TRUE(in.ok()) << in.status();
  EXPECT_EQ(in->user, "ann@acme.example");
  for (const auto& [field, value] :
       std::vector<std::pair<const char*, nlohmann::json>>{{"sub", "18"},
                                                           {"sub", 17},
                                                           {"sub", ""},
                                                           {"email", nullptr},
                                                           {"email_verified", false},
                                                           {"email_verified", "true"}}) {
    EXPECT_TRUE(absl::IsUnauthenticated(end(field, value).status())) << field << " " << value;
  }
}

TEST_F(LoginIssuerTest, WhoMayComeInIsSaidByPatterns) {
  for (const auto& [mail, may] :
       std::vector<std::pair<const char*, bool>>{{"bob@other.example", true},
                                                 {"eve@other.example", false},
                                                 {"x@acme.example.evil", false}}) {
    const std::map<std::string, std::string> asked = Begin();
    claims_["email"] = mail;
    EXPECT_EQ(End(asked).ok(), may) << mail;
  }
}

TEST_F(LoginIssuerTest, AnIssuerThatIsAwayIsSaid) {
  is_away_ = true;
  EXPECT_TRUE(absl::IsUnavailable(login().Begin(kSession, "").status()));
  EXPECT_TRUE(absl::IsUnavailable(login().Begin(kSession, "").status()));
  EXPECT_EQ(asked_, 1) << "each answer that does not come holds a thread up";
  is_away_ = false;
  now_ += absl::Seconds(10);
  const std::map<std::string, std::string> asked = Begin();
  is_away_ = true;
  EXPECT_TRUE(absl::IsUnavailable(End(asked).status()));
}

TEST_F(LoginIssuerTest, AConfigurationThatLeadsElsewhereIsRefused) {
  for (const auto& [name, value] : std::vector<std::pair<const char*, const char*>>{
           {"issuer", "https://evil.example"},
           {"authorization_endpoint", "javascript:alert(1)"},
           {"authorization_endpoint", "http://accounts.example.com/authorize"},
           {"token_endpoint", "http://169.254.169.254/token"},
           {"token_endpoint", "http://127.0.0.1:9000/token"},
           {"userinfo_endpoint", "http://127.0.0.1:9000/me"},
           {"jwks_uri", "http://127.0.0.1:9000/keys"},
           {"token_endpoint", ""}}) {
    login_ = nullptr;
    const nlohmann::json good = configuration_;
    configuration_[name] = value;
    EXPECT_TRUE(absl::IsUnavailable(login().Begin(kSession, "").status())) << name << value;
    configuration_ = good;
  }
}

TEST_F(LoginIssuerTest, LogInsThatNeverEndDisplaceNone) {
  const std::map<std::string, std::string> first = Begin();
  const nlohmann::json claims = claims_;
  for (int i = 0; i < 10'001; ++i) Begin(absl::StrCat("stranger ", i));
  claims_ = claims;
  EXPECT_TRUE(End(first).ok());
}

TEST_F(LoginIssuerTest, OnlyACookieOfThisServerForThisLogInCounts) {
  const std::map<std::string, std::string> good = Begin();
  const nlohmann::json claims = claims_;
  const std::string other = Begin()["cookie"];
  LoginIssuer another_server(options_,
                             [this](const base::HttpRequest& request) { return Answer(request); });
  const auto foreign = another_server.Begin(kSession, "");
  ASSERT_TRUE(foreign.ok());
  EXPECT_TRUE(absl::IsUnauthenticated(
      login().End(kSession, foreign->cookie, foreign->state, "good").status()));
  claims_ = claims;
  const std::string& cookie = good.at("cookie");
  const std::string payload = cookie.substr(0, cookie.find('.'));
  const std::string signature = cookie.substr(cookie.find('.'));
  std::string longer;
  ASSERT_TRUE(absl::WebSafeBase64Unescape(payload, &longer));
  const std::string key = "\"expires\":1";
  ASSERT_NE(longer.find(key), std::string::npos) << longer;
  longer.replace(longer.find(key), key.size(), "\"expires\":9");
  for (const std::string& forged :
       {std::string(), other, payload, payload + ".", "." + payload, cookie + "0", cookie.substr(1),
        absl::WebSafeBase64Escape(longer) + signature, std::string(5000, '.')}) {
    std::map<std::string, std::string> asked = good;
    asked["cookie"] = forged;
    EXPECT_TRUE(absl::IsUnauthenticated(End(asked).status())) << forged;
  }
  EXPECT_TRUE(End(good).ok());
}

TEST_F(LoginIssuerTest, ACookieIsNeverLongerThanABrowserKeeps) {
  for (const size_t length : {1u, 1000u, 2000u, 4000u}) {
    const auto begun = login().Begin(kSession, "/p/" + std::string(length, 'a'));
    ASSERT_TRUE(begun.ok());
    EXPECT_LT(begun->cookie.size(), 3500u);
  }
}

TEST(TargetTest, APathPrefixIsTakenAwayOnceWhereATargetHasIt) {
  for (const auto& [target, rest] : std::vector<std::pair<std::string, std::string>>{
           {"/team/hub", "/"},
           {"/team/hub/", "/"},
           {"/team/hub?a=/b", "/?a=/b"},
           {"/team/hub/p/my%2Frepo?x=1", "/p/my%2Frepo?x=1"},
           {"/team/hub/team/hub/p", "/team/hub/p"},
           {"/p/acme", "/p/acme"},
           {"/", "/"},
           {"/team", "/team"},
           {"/team/hubx/p", "/team/hubx/p"},
           {"/team//hub/p", "/team//hub/p"},
           {"/x/team/hub/p", "/x/team/hub/p"}}) {
    EXPECT_EQ(WithoutPathPrefix(target, "/team/hub"), rest) << target;
    EXPECT_EQ(WithoutPathPrefix(target, ""), target);
  }
}

// Another gprofhub may be at the host's "/".
TEST(CookiesTest, ThatOfTheLongestPathCounts) {
  EXPECT_EQ(ParseCookies("a=ours; b=x; a=of the host").at("a"), "ours");
}

}  // namespace

}  // namespace gprofhub::server
