#include "store/objects/s3/signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace gprofhub::store {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The examples of "Authenticating Requests: Using the Authorization Header (AWS Signature Version
// 4)" in the Amazon S3 API Reference.
const S3Credentials kExample{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                             ""};
constexpr char kHost[] = "examplebucket.s3.amazonaws.com";

std::string Authorization(const S3Request& request, const S3Credentials& credentials = kExample) {
  const absl::Time now = absl::FromCivil(absl::CivilSecond(2013, 5, 24), absl::UTCTimeZone());
  return SignedHeaders(request, credentials, "us-east-1", now).at("authorization");
}

std::string Expected(const std::string& names, const std::string& signature) {
  return absl::StrCat(
      "AWS4-HMAC-SHA256 "
      "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=",
      names, ",Signature=", signature);
}

TEST(SignatureTest, OfAPartOfAnObjectIsThatOfTheExample) {
  EXPECT_EQ(Authorization({"GET", kHost, "/test.txt", {}, {{"range", "bytes=0-9"}}, ""}),
            Expected("host;range;x-amz-content-sha256;x-amz-date",
                     "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"));
}

TEST(SignatureTest, OfAnObjectThatIsPutIsThatOfTheExample) {
  EXPECT_EQ(Authorization({"PUT",
                           kHost,
                           "/test$file.text",
                           {},
                           {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                            {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                           "Welcome to Amazon S3."}),
            Expected("date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
                     "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

TEST(SignatureTest, OfANameWithoutAValueIsThatOfTheExample) {
  EXPECT_EQ(Authorization({"GET", kHost, "/", {{"lifecycle", ""}}, {}, ""}),
            Expected("host;x-amz-content-sha256;x-amz-date",
                     "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
}

TEST(SignatureTest, OfAListIsThatOfTheExample) {
  EXPECT_EQ(Authorization({"GET", kHost, "/", {{"prefix", "J"}, {"max-keys", "2"}}, {}, ""}),
            Expected("host;x-amz-content-sha256;x-amz-date",
                     "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST(SignatureTest, HoldsTheTokenOfASession) {
  S3Credentials session = kExample;
  session.session_token = "token";
  const S3Request request{"GET", kHost, "/", {}, {}, ""};
  const auto headers = SignedHeaders(request, session, "us-east-1", absl::UnixEpoch());
  EXPECT_EQ(headers.at("x-amz-security-token"), "token");
  EXPECT_THAT(headers.at("authorization"),
              HasSubstr("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token"));
}

TEST(SignatureTest, DoesNotShowTheSecret) {
  for (const auto& [name, value] :
       SignedHeaders({"GET", kHost, "/", {}, {}, ""}, kExample, "us-east-1", absl::UnixEpoch())) {
    EXPECT_THAT(value, Not(HasSubstr(kExample.secret_key))) << name;
  }
}

TEST(EncodedPathTest, LeavesTheSignsBetweenPartsAndEncodesOnce) {
  EXPECT_EQ(EncodedPath("/a-b._~/C9/"), "/a-b._~/C9/");
  EXPECT_EQ(EncodedPath("/a b+c=%20\xc3\xa9*"), "/a%20b%2Bc%3D%2520%C3%A9%2A");
}

TEST(EncodedQueryTest, IsInOrderAndEncoded) {
  EXPECT_EQ(EncodedQuery({}), "");
  EXPECT_EQ(EncodedQuery({{"uploads", ""}, {"prefix", "a/b c"}}), "prefix=a%2Fb%20c&uploads=");
}

}  // namespace
}  // namespace gprofhub::store
