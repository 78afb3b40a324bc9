#include "collector/auth.h"

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "store/testing/temp_store.h"

namespace gprofhub::collector {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);

class AuthTest : public testing::Test {
 protected:
  NewToken Make(absl::string_view project) {
    return *MakeToken(store_.tokens, project, "ci", kNow);
  }

  const store::Store store_ = store::MakeTempStore();
  Authorizer authorizer_{store_.tokens};
};

TEST_F(AuthTest, NeedsNoTokenWhileThereIsNone) {
  EXPECT_TRUE(authorizer_.Authorize("", "default").ok());
}

TEST_F(AuthTest, TakesTheProjectsToken) {
  const NewToken made = Make("default");
  EXPECT_TRUE(authorizer_.Authorize("Bearer " + made.token, "default").ok());
}

TEST_F(AuthTest, NeedsATokenFromTheFirstOneOn) {
  ASSERT_TRUE(authorizer_.Authorize("", "default").ok());
  Make("another");
  const absl::Status status = authorizer_.Authorize("", "default");
  EXPECT_TRUE(absl::IsUnauthenticated(status)) << status;
}

TEST_F(AuthTest, RefusesTheTokenOfAnotherProject) {
  const NewToken made = Make("another");
  const absl::Status status = authorizer_.Authorize("Bearer " + made.token, "default");
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
}

TEST_F(AuthTest, RefusesARevokedTokenAndStaysClosed) {
  const NewToken made = Make("default");
  ASSERT_TRUE(store_.tokens.Revoke(made.record.id).ok());
  EXPECT_TRUE(absl::IsUnauthenticated(authorizer_.Authorize("Bearer " + made.token, "default")));
  EXPECT_TRUE(absl::IsUnauthenticated(authorizer_.Authorize("", "default")));
}

TEST_F(AuthTest, RefusesWhatIsNoToken) {
  const NewToken made = Make("default");
  std::string other = made.token;
  other.back() = other.back() == '0' ? '1' : '0';
  for (const std::string& authorization :
       {std::string("Bearer"), std::string("Bearer "), made.token, "Basic " + made.token,
        "Bearer " + made.token + " ", "Bearer " + made.token.substr(4), "Bearer " + other,
        "Bearer " + base::Sha256Hex(made.token), std::string(100'000, 'x')}) {
    const absl::Status status = authorizer_.Authorize(authorization, "default");
    EXPECT_TRUE(absl::IsUnauthenticated(status)) << authorization.substr(0, 100) << ": " << status;
  }
}

TEST_F(AuthTest, KeepsOnlyTheHash) {
  const NewToken made = Make("default");
  EXPECT_EQ(made.token.size(), 68u);
  EXPECT_EQ(made.token.substr(0, 4), "gph_");
  EXPECT_EQ(made.record.token_sha256, base::Sha256Hex(made.token));
}

TEST_F(AuthTest, MakesADifferentTokenEachTime) {
  EXPECT_NE(Make("default").token, Make("default").token);
}

TEST_F(AuthTest, RefusesABadProjectName) {
  EXPECT_TRUE(absl::IsInvalidArgument(MakeToken(store_.tokens, "a b", "", kNow).status()));
}

}  // namespace
}  // namespace gprofhub::collector
