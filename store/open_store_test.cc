#include "store/open_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace gprofhub::store {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(OpenStoreTest, ADirectoryIsASqliteStoreWithOrWithoutItsName) {
  const std::string directory = testing::TempDir() + "/open_store_test";
  EXPECT_TRUE(OpenStore("sqlite:" + directory + "/a", OpenMode::kCreate).ok());
  EXPECT_TRUE(OpenStore(directory + "/b", OpenMode::kCreate).ok());
  EXPECT_TRUE(std::filesystem::exists(directory + "/a/gprofhub.db"));
  EXPECT_TRUE(std::filesystem::exists(directory + "/b/gprofhub.db"));
  std::filesystem::remove_all(directory);
}

TEST(OpenStoreTest, AnUnknownKindIsRefusedWithoutShowingWhatFollows) {
  const absl::Status status = OpenStore("mysql://user:secret@host/db", OpenMode::kCreate).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("mysql"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("secret")));
}

TEST(OpenStoreTest, AConnectionStringOfLibpqIsNoDirectory) {
  for (const char* location :
       {"host=db dbname=gprofhub password=secret", " host = db", "service=secret",
        "postgresql:secret", "postgres:/secret", "Mysql:secret", "s3:secret"}) {
    const absl::Status status = OpenStore(location, OpenMode::kCreate).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << location;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("postgresql://USER:PASSWORD@HOST:PORT/DATABASE"));
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("secret")));
  }
}

TEST(OpenStoreTest, SchemesAreInAnyCase) {
  EXPECT_TRUE(IsShared("PostgreSQL://db/hub"));
  EXPECT_TRUE(IsShared("POSTGRES://db/hub"));
  EXPECT_EQ(*DirectoryOf("SQLite:/a=b"), "/a=b");
}

TEST(OpenStoreTest, APlaceThatIsNoneIsRefused) {
  for (const std::string& location :
       {std::string(), std::string("sqlite:"), std::string("a\0b", 3)}) {
    EXPECT_EQ(OpenStore(location, OpenMode::kCreate).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(OpenStoreTest, AServerThatIsNotThereIsUnavailable) {
  const absl::Status status =
      OpenStore("postgresql://hub:secret@/db?host=/nonexistent-directory", OpenMode::kCreate)
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nonexistent-directory"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("secret")));
}

}  // namespace

}  // namespace gprofhub::store
