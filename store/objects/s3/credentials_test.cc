#include "store/objects/s3/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "store/testing/temp_dir.h"

namespace gprofhub::store {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Variables = std::map<std::string, std::string>;

S3CredentialSource::Environment Of(const Variables& variables) {
  return [variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
}

void Write(const std::string& path, const std::string& text) {
  // Replaced by rename, so that a reader sees the old or the new content.
  std::ofstream(path + ".new") << text;
  std::filesystem::rename(path + ".new", path);
}

TEST(ParseCredentialsFileTest, ReadsTheProfileThatIsAskedFor) {
  constexpr char kText[] =
      "# keys\n[default]\naws_access_key_id = A\naws_secret_access_key=S=/+\n\n"
      "[ other ]\r\n  aws_access_key_id = B\r\naws_secret_access_key = T\r\n; token\n"
      "aws_session_token = U\nregion = x\n";
  const auto standard = ParseCredentialsFile(kText, "default");
  ASSERT_TRUE(standard.ok()) << standard.status();
  EXPECT_EQ(standard->access_key, "A");
  EXPECT_EQ(standard->secret_key, "S=/+");
  EXPECT_EQ(standard->session_token, "");
  const auto other = ParseCredentialsFile(kText, "other");
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(other->access_key, "B");
  EXPECT_EQ(other->secret_key, "T");
  EXPECT_EQ(other->session_token, "U");
}

TEST(ParseCredentialsFileTest, RefusesWhatIsNoneAndShowsNoSecret) {
  for (const std::string& text :
       {std::string("[other]\naws_access_key_id=A\naws_secret_access_key=hidden"),
        std::string("[default]\naws_secret_access_key=hidden"),
        std::string("[default]\naws_access_key_id=A"),
        std::string("[default\naws_access_key_id=A\naws_secret_access_key=hidden"),
        std::string("[default]\naws_access_key_id=A\naws_secret_access_key=hidden hidden"),
        std::string("[default]\naws_access_key_id=A\x01\naws_secret_access_key=hidden")}) {
    const auto parsed = ParseCredentialsFile(text, "default");
    EXPECT_TRUE(absl::IsInvalidArgument(parsed.status())) << text;
    EXPECT_THAT(std::string(parsed.status().message()), Not(HasSubstr("hidden")));
  }
}

TEST(S3CredentialSourceTest, PrefersTheEnvironment) {
  S3CredentialSource source(Of({{"AWS_ACCESS_KEY_ID", "A"},
                                {"AWS_SECRET_ACCESS_KEY", "S"},
                                {"AWS_SESSION_TOKEN", "T"},
                                {"AWS_SHARED_CREDENTIALS_FILE", "/nowhere"}}));
  const auto got = source.Get();
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->access_key + got->secret_key + got->session_token, "AST");
}

TEST(S3CredentialSourceTest, ReadsAFileThatChangedAgain) {
  const std::string folder = MakeTempDir();
  const std::string path = absl::StrCat(folder, "/credentials");
  Write(path, "[ci]\naws_access_key_id=A\naws_secret_access_key=S\n");
  S3CredentialSource source(Of({{"AWS_SHARED_CREDENTIALS_FILE", path}, {"AWS_PROFILE", "ci"}}));
  EXPECT_EQ(source.Get()->access_key, "A");
  Write(path, "[ci]\naws_access_key_id=LONGER\naws_secret_access_key=S\n");
  EXPECT_EQ(source.Get()->access_key, "LONGER");
  Write(path, "[ci");
  EXPECT_EQ(source.Get()->access_key, "LONGER");
  std::filesystem::remove(path);
  EXPECT_EQ(source.Get()->access_key, "LONGER");
}

TEST(S3CredentialSourceTest, SaysWhereKeysMayBe) {
  S3CredentialSource none(Of({{"HOME", "/nowhere"}}));
  const absl::Status status = none.Get().status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("AWS_ACCESS_KEY_ID"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nowhere/.aws/credentials"));
  S3CredentialSource half(Of({{"AWS_ACCESS_KEY_ID", "A"}}));
  EXPECT_TRUE(absl::IsFailedPrecondition(half.Get().status()));
}

}  // namespace
}  // namespace gprofhub::store
