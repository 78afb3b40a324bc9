#include "ci/upload/token_source.h"

#include <gtest/gtest.h>

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

TEST(FixedTokenTest, IsAlwaysTheSame) { EXPECT_EQ(*FixedToken("gph_1")(), "gph_1"); }

}  // namespace
}  // namespace gprofhub::ci
