#include "store/objects/location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gprofhub::store {

namespace {

using ::testing::HasSubstr;

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(ParseXmlTest, ReadsElementsAndText) {
  const auto root = ParseXml("<?xml version='1.0'?>\n<a x='1'>1&lt;<b>2</b>3<b>4</b><c/></a>\n");
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ(root->name, "a");
  EXPECT_EQ(root->text, "1<3");
  ASSERT_EQ(root->children.size(), 3u);
  EXPECT_EQ(root->TextOf("b"), "2");
  EXPECT_EQ(root->Child("d"), nullptr);
  EXPECT_EQ(root->TextOf("d"), "");
}

TEST(ParseXmlTest, RefusesWhatIsNoXml) {
  for (const char* text : {"", "a", "<a>", "<a></b>", "<a/><b/>", "<a>&b;</a>", "<a>\x01</a>"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseXml(text).status())) << text;
  }
}

TEST(ParseXmlTest, RefusesDeclarations) {
  for (const char* text : {"<!DOCTYPE a [<!ENTITY b 'bbbb'><!ENTITY c '&b;&b;&b;'>]><a>&c;</a>",
                           "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
                           "<!DOCTYPE a SYSTEM 'http://127.0.0.1/a.dtd'><a/>"}) {
    EXPECT_THAT(std::string(ParseXml(text).status().message()), HasSubstr("DOCTYPE")) << text;
  }
}

TEST(ParseXmlTest, RefusesWhatIsTooDeepOrTooMuch) {
  EXPECT_TRUE(ParseXml(absl::StrCat(Repeated("<a>", 16), Repeated("</a>", 16))).ok());
  EXPECT_FALSE(ParseXml(absl::StrCat(Repeated("<a>", 17), Repeated("</a>", 17))).ok());
  EXPECT_TRUE(ParseXml(absl::StrCat("<a>", Repeated("<b/>", 49'999), "</a>")).ok());
  EXPECT_FALSE(ParseXml(absl::StrCat("<a>", Repeated("<b/>", 50'000), "</a>")).ok());
}

std::string List(const std::string& inner) {
  return absl::StrCat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">",
      inner, "</ListBucketResult>");
}

std::string Object(const std::string& key) {
  return absl::StrCat("<Contents><Key>", key,
                      "</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified>"
                      "<ETag>&quot;e&quot;</ETag><Size>7</Size></Contents>");
}

TEST(ParseListTest, ReadsObjects) {
  const auto list = ParseList(
      List(absl::StrCat("<IsTruncated>true</IsTruncated>", Object("a&amp;"), Object("b"))));
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_TRUE(list->is_truncated);
  ASSERT_EQ(list->objects.size(), 2u);
  EXPECT_EQ(list->objects[0].key, "a&");
  EXPECT_EQ(list->objects[0].size, 7u);
  EXPECT_EQ(list->objects[0].changed,
            absl::FromCivil(absl::CivilSecond(2026, 1, 2, 3, 4, 5), absl::UTCTimeZone()));
}

TEST(ParseListTest, DecodesKeysWhereTheServerEncodedThem) {
  const std::string inner = absl::StrCat("<IsTruncated>false</IsTruncated>", Object("a%2Fb%01"));
  EXPECT_EQ(ParseList(List(inner))->objects.at(0).key, "a%2Fb%01");
  EXPECT_EQ(
      ParseList(List(absl::StrCat("<EncodingType>url</EncodingType>", inner)))->objects.at(0).key,
      "a/b\x01");
}

TEST(ParseListTest, RefusesWhatWouldLoseObjects) {
  for (const std::string& body :
       {std::string(), std::string("<html></html>"), List(""), List(Object("a")),
        List("<IsTruncated>true</IsTruncated>"),
        List(absl::StrCat("<IsTruncated>false</IsTruncated>", Object("b"), Object("a"))),
        List(absl::StrCat("<IsTruncated>false</IsTruncated>", Object("a"), Object("a"))),
        List("<IsTruncated>false</IsTruncated><Contents><Key>a</Key></Contents>"),
        List("<IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>-1</Size>"
             "<LastModified>2026-01-02T03:04:05Z</LastModified></Contents>"),
        List(absl::StrCat("<IsTruncated>false</IsTruncated>", Object("")))}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseList(body).status())) << body;
  }
}

TEST(ErrorCodeOfTest, IsTheCodeOrNothing) {
  EXPECT_EQ(ErrorCodeOf("<Error><Code>SlowDown</Code><Message>m</Message></Error>"), "SlowDown");
  EXPECT_EQ(ErrorCodeOf("<Error><Code>a b</Code></Error>"), "");
  EXPECT_EQ(ErrorCodeOf("<Other><Code>SlowDown</Code></Other>"), "");
  EXPECT_EQ(ErrorCodeOf("<html>"), "");
  EXPECT_EQ(ErrorCodeOf(""), "");
}

TEST(ParseContentRangeTest, ReadsThreeNumbersAndNothingElse) {
  const auto range = ParseContentRange("bytes 2-5/10");
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(range->first, 2u);
  EXPECT_EQ(range->last, 5u);
  EXPECT_EQ(range->total, 10u);
  for (const char* text : {"", "bytes */10", "bytes 2-5/*", "bytes 2-5", "bytes -2-5/10", "2-5/10",
                           "bytes 2-99999999999999999999/10", "bytes 2-5/10 "}) {
    EXPECT_FALSE(ParseContentRange(text).ok()) << text;
  }
}

using ::testing::HasSubstr;

TEST(S3LocationTest, IsAmazonsWithoutAnEndpoint) {
  const auto location = ParseS3Location("s3://profiles/team/a/?region=eu-central-1");
  ASSERT_TRUE(location.ok()) << location.status();
  EXPECT_EQ(location->scheme, "https");
  EXPECT_EQ(location->host(), "profiles.s3.eu-central-1.amazonaws.com");
  EXPECT_EQ(location->path("k/1"), "/k/1");
  EXPECT_EQ(location->prefix, "team/a/");
  EXPECT_EQ(location->region, "eu-central-1");
}

TEST(S3LocationTest, HasTheBucketInThePathOfAnotherServer) {
  const auto location = ParseS3Location("s3://profiles?endpoint=https://s3.example:9000/");
  ASSERT_TRUE(location.ok()) << location.status();
  EXPECT_EQ(location->host(), "s3.example:9000");
  EXPECT_EQ(location->path("k"), "/profiles/k");
  EXPECT_EQ(location->prefix, "");
  EXPECT_EQ(location->region, "us-east-1");
}

TEST(S3LocationTest, DoesWhatItsStyleSays) {
  EXPECT_EQ(ParseS3Location("s3://profiles?endpoint=https://s3.example:9&style=virtual")->host(),
            "profiles.s3.example:9");
  EXPECT_EQ(ParseS3Location("s3://my.profiles?region=eu-west-1&style=path")->path("k"),
            "/my.profiles/k");
}

TEST(S3LocationTest, TakesAnEndpointThatIsEncoded) {
  const auto location = ParseS3Location("s3://profiles?endpoint=https%3A%2F%2Fs3.example");
  ASSERT_TRUE(location.ok()) << location.status();
  EXPECT_EQ(location->host(), "s3.example");
}

TEST(S3LocationTest, SpeaksInTheClearToThisMachineOrWhereItIsAllowed) {
  EXPECT_TRUE(ParseS3Location("s3://abc?endpoint=http://127.0.0.1:9000").ok());
  EXPECT_TRUE(ParseS3Location("s3://abc?endpoint=http://minio:9000&insecure=1").ok());
  EXPECT_FALSE(ParseS3Location("s3://abc?endpoint=http://minio:9000").ok());
  EXPECT_FALSE(ParseS3Location("s3://abc?endpoint=http://minio:9000&insecure=0").ok());
}

TEST(S3LocationTest, NamesWhatIsWrong) {
  for (const auto& [text, part] : std::initializer_list<std::pair<std::string, std::string>>{
           {"https://abc", "form"},
           {"s3://", "bucket"},
           {"s3://ab", "bucket"},
           {"s3://Abc?region=a", "bucket"},
           {"s3://abc..d?region=a", "bucket"},
           {"s3://abc/../d?region=a", "prefix"},
           {"s3://abc/a b?region=a", "prefix"},
           {"s3://abc", "region"},
           {"s3://abc?region=", "region"},
           {"s3://abc?region=eu/../x", "region"},
           {"s3://abc?endpoint=s3.example", "endpoint"},
           {"s3://abc?endpoint=ftp://s3.example", "endpoint"},
           {"s3://abc?endpoint=https://", "endpoint"},
           {"s3://abc?endpoint=https://a@s3.example", "endpoint"},
           {"s3://abc?endpoint=https://s3.example/path", "endpoint"},
           {"s3://abc?endpoint=https://s3.example:x", "endpoint"},
           {"s3://abc?region=a&style=host", "style"},
           {"s3://a.bc?region=a", "style"},
           {"s3://abc?region=a&insecure=yes", "insecure"},
           {"s3://abc?region=a&region=b", "region"},
           {"s3://abc?reigon=a", "reigon"},
           {"s3://abc?region=a&", "option ''"}}) {
    const auto location = ParseS3Location(text);
    EXPECT_TRUE(absl::IsInvalidArgument(location.status())) << text;
    EXPECT_THAT(std::string(location.status().message()), HasSubstr(part)) << text;
  }
}

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
