#include "store/objects/s3/location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace gprofhub::store {
namespace {

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

}  // namespace
}  // namespace gprofhub::store
