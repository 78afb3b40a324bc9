#include "store/objects/place/open_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "absl/status/status.h"
#include "store/testing/temp_dir.h"

namespace gprofhub::store {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(OpenObjectsTest, OnlyKnownPlacesAreOpened) {
  for (const std::string location :
       {"", "relative", "file:", "ftp://key:secret@host/x", "//host/x", "file://host/x", "s3:/x",
        "s3://bucket?endpoint=ftp://secret"}) {
    const absl::Status status = OpenObjects(location).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << location << ": " << status;
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("secret")));
  }
}

TEST(OpenObjectsTest, AFolderIsAPlace) {
  EXPECT_TRUE(OpenObjects(MakeTempDir()).ok());
  EXPECT_TRUE(OpenObjects("file:" + MakeTempDir()).ok());
}

TEST(OpenObjectsTest, ABucketIsAPlaceIfThereAreKeys) {
  constexpr char kBucket[] = "s3://bucket/prefix?endpoint=http://127.0.0.1:1";
  setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null", 1);
  unsetenv("AWS_ACCESS_KEY_ID");
  EXPECT_TRUE(absl::IsFailedPrecondition(OpenObjects(kBucket).status()));
  setenv("AWS_ACCESS_KEY_ID", "key", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
  EXPECT_TRUE(OpenObjects(kBucket).ok());
}

}  // namespace
}  // namespace gprofhub::store
