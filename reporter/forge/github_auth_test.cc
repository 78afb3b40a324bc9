#include "reporter/forge/github_auth.h"

#include <gmock/gmock.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "reporter/testing/fake_forge.h"

namespace gprofhub::reporter {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const absl::Time kNow = absl::FromUnixSeconds(1700000000);

bool SignatureIsGood(const std::string& text, const std::string& signature,
                     const std::string& pem) {
  BIO* const file = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  EVP_PKEY* const key = PEM_read_bio_PrivateKey(file, nullptr, nullptr, nullptr);
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key);
  const bool good =
      EVP_DigestVerify(context, reinterpret_cast<const unsigned char*>(signature.data()),
                       signature.size(), reinterpret_cast<const unsigned char*>(text.data()),
                       text.size()) == 1;
  EVP_MD_CTX_free(context);
  EVP_PKEY_free(key);
  BIO_free(file);
  return good;
}

TEST(MakeAppJwtTest, IsSignedAndSaysWhoAndUntilWhen) {
  const absl::StatusOr<std::string> jwt = MakeAppJwt("12345", TestRsaKey(), kNow);
  ASSERT_TRUE(jwt.ok()) << jwt.status();
  const std::vector<std::string> parts = absl::StrSplit(*jwt, '.');
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_THAT(*jwt, Not(HasSubstr("=")));
  std::string header, claims, signature;
  ASSERT_TRUE(absl::WebSafeBase64Unescape(parts[0], &header));
  ASSERT_TRUE(absl::WebSafeBase64Unescape(parts[1], &claims));
  ASSERT_TRUE(absl::WebSafeBase64Unescape(parts[2], &signature));
  EXPECT_EQ(nlohmann::json::parse(header)["alg"], "RS256");
  const auto said = nlohmann::json::parse(claims);
  EXPECT_EQ(said["iss"], "12345");
  EXPECT_LE(said["iat"], absl::ToUnixSeconds(kNow));
  EXPECT_GT(said["exp"], absl::ToUnixSeconds(kNow));
  EXPECT_LE(said["exp"].get<int64_t>() - said["iat"].get<int64_t>(), 600) << "GitHub's limit";
  const std::string text = absl::StrCat(parts[0], ".", parts[1]);
  EXPECT_TRUE(SignatureIsGood(text, signature, TestRsaKey()));
  EXPECT_FALSE(SignatureIsGood(text + "x", signature, TestRsaKey()));
}

// A server has no terminal at which to type it.
TEST(MakeAppJwtTest, AKeyWithAPasswordIsRefusedUnasked) {
  const std::string unlocked = TestRsaKey();
  BIO* const plain = BIO_new_mem_buf(unlocked.data(), static_cast<int>(unlocked.size()));
  EVP_PKEY* const key = PEM_read_bio_PrivateKey(plain, nullptr, nullptr, nullptr);
  BIO* const file = BIO_new(BIO_s_mem());
  ASSERT_EQ(
      PEM_write_bio_PKCS8PrivateKey(file, key, EVP_aes_256_cbc(), "secret", 6, nullptr, nullptr),
      1);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(file, &bytes);
  const std::string pem(bytes, static_cast<size_t>(size));
  EXPECT_TRUE(absl::IsInvalidArgument(MakeAppJwt("12345", pem, kNow).status()));
  BIO_free(file);
  BIO_free(plain);
  EVP_PKEY_free(key);
}

TEST(MakeAppJwtTest, WhatIsNoKeyIsAnInvalidArgument) {
  for (const std::string pem : {"", "secret", "-----BEGIN PRIVATE KEY-----\nAAAA\n"}) {
    const absl::Status error = MakeAppJwt("12345", pem, kNow).status();
    EXPECT_TRUE(absl::IsInvalidArgument(error));
    EXPECT_THAT(std::string(error.message()), Not(HasSubstr("AAAA")));
  }
}

TEST(GitHubInstallationTest, KeepsItsTokenUntilShortlyBeforeItsEnd) {
  const auto github = MakeFakeGitHub(/*app=*/true);
  const auto forge = github->Client();
  const auto tokens_asked_for = [&github] {
    return std::count(github->requests.begin(), github->requests.end(),
                      "POST /app/installations/77/access_tokens");
  };
  ASSERT_TRUE(forge->ReadPullRequest("17").ok());
  ASSERT_TRUE(forge->ReadPullRequest("17").ok());
  EXPECT_EQ(tokens_asked_for(), 1);
  github->clock().sleep(absl::Minutes(54));
  ASSERT_TRUE(forge->ReadPullRequest("17").ok());
  EXPECT_EQ(tokens_asked_for(), 1);
  github->clock().sleep(absl::Minutes(1));
  ASSERT_TRUE(forge->ReadPullRequest("17").ok());
  EXPECT_EQ(tokens_asked_for(), 2);
}

size_t TokensAskedFor(const FakeForge& github) {
  return static_cast<size_t>(std::count(github.requests.begin(), github.requests.end(),
                                        "POST /app/installations/77/access_tokens"));
}

TEST(GitHubInstallationTest, ATokenHasThePermissionsThatTheInstallationHas) {
  for (const char* missing : {"actions", "checks", "contents", "issues", "metadata"}) {
    const auto github = MakeFakeGitHub(/*app=*/true);
    github->app_permissions.erase(missing);
    EXPECT_TRUE(github->Client()->ReadPullRequest("17").ok()) << missing;
    EXPECT_EQ(TokensAskedFor(*github), 1u);
  }
  const auto github = MakeFakeGitHub(/*app=*/true);
  github->app_permissions["pull_requests"] = "read";
  github->app_permissions["administration"] = "write";
  EXPECT_TRUE(github->Client()->ReadPullRequest("17").ok());
}

TEST(GitHubInstallationTest, ARefusedTokenIsAskedForWithLess) {
  for (const size_t refused : {1u, 2u}) {
    const auto github = MakeFakeGitHub(/*app=*/true);
    github->hook = [&](const std::string& request) {
      const bool token = absl::StrContains(request, "access_tokens");
      return Trouble{token && TokensAskedFor(*github) <= refused ? 422 : 0, {}, false};
    };
    EXPECT_TRUE(github->Client()->ReadPullRequest("17").ok());
    EXPECT_EQ(TokensAskedFor(*github), refused + 1);
  }
  const auto github = MakeFakeGitHub(/*app=*/true);
  github->hook = [](const std::string& request) {
    return Trouble{absl::StrContains(request, "access_tokens") ? 422 : 0, {}, false};
  };
  EXPECT_TRUE(absl::IsInvalidArgument(github->Client()->ReadPullRequest("17").status()));
  EXPECT_EQ(TokensAskedFor(*github), 3u);
}

}  // namespace

}  // namespace gprofhub::reporter
