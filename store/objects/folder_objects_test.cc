#include "store/objects/folder_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "store/objects/testing/object_store_contract.h"
#include "store/testing/temp_dir.h"

namespace gprofhub::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

INSTANTIATE_TEST_SUITE_P(Folder, ObjectStoreContract, testing::Values(TriedObjects{[] {
                           return *OpenFolderObjects(MakeTempDir());
                         }}));

class FolderObjectsTest : public testing::Test {
 protected:
  const std::string folder_ = MakeTempDir();
  const std::unique_ptr<ObjectStore> objects_ = *OpenFolderObjects(folder_);

  std::vector<std::string> Keys(absl::string_view prefix = "", absl::string_view after = "") {
    const absl::StatusOr<ObjectPage> page = objects_->List(prefix, after);
    EXPECT_TRUE(page.ok()) << page.status();
    std::vector<std::string> keys;
    for (const ObjectInfo& object : page->objects) keys.push_back(object.key);
    return keys;
  }
};

TEST_F(FolderObjectsTest, WhatIsBelowAnObjectIsNotThere) {
  ASSERT_TRUE(objects_->Put("segments/one", "0123456789").ok());
  EXPECT_TRUE(absl::IsNotFound(objects_->Read("segments/one/more", 0, 1).status()));
}

TEST_F(FolderObjectsTest, WhatIsRefusedLeavesNothing) {
  ASSERT_TRUE(objects_->Put("one", "bytes").ok());
  EXPECT_TRUE(objects_->Put("one", "bytes").ok()) << "the same";
  EXPECT_TRUE(absl::IsAlreadyExists(objects_->Put("one", "other")));
  EXPECT_TRUE(fs::is_empty(folder_ + "/.incoming"));
}

TEST_F(FolderObjectsTest, OfSeveralWhoWriteOneKeyOneSucceeds) {
  std::vector<std::thread> writers;
  std::vector<absl::Status> put(4);
  for (size_t i = 0; i < put.size(); ++i) {
    writers.emplace_back([&, i] { put[i] = objects_->Put("a/b/one", absl::StrCat("writer ", i)); });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string there = *objects_->Read("a/b/one", 0, 8);
  for (size_t i = 0; i < put.size(); ++i) {
    if (absl::StrCat("writer ", i) == there) {
      EXPECT_TRUE(put[i].ok()) << put[i];
    } else {
      EXPECT_TRUE(absl::IsAlreadyExists(put[i])) << put[i];
    }
  }
}

TEST_F(FolderObjectsTest, LongListsComeInPages) {
  fs::create_directory(folder_ + "/many");
  for (int i = 0; i < 1001; ++i) {
    std::ofstream(absl::StrCat(folder_, "/many/", absl::StrFormat("%04d", i))) << i;
  }
  const absl::StatusOr<ObjectPage> first = objects_->List("many/", "");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->objects.size(), 1000u);
  EXPECT_FALSE(first->is_last);
  const absl::StatusOr<ObjectPage> second = objects_->List("many/", first->objects.back().key);
  EXPECT_EQ(second->objects.size(), 1u);
  EXPECT_TRUE(second->is_last);
}

TEST_F(FolderObjectsTest, WhatIsNoObjectIsNotListed) {
  ASSERT_TRUE(objects_->Put("one", "bytes").ok());
  std::ofstream(folder_ + "/.incoming/cut off") << "by";
  std::ofstream(folder_ + "/not a key") << "x";
  fs::create_symlink("one", folder_ + "/link");
  EXPECT_THAT(Keys(), ElementsAre("one"));
}

TEST_F(FolderObjectsTest, AKeyThatGoesOnFromAnotherIsRefused) {
  ASSERT_TRUE(objects_->Put("a", "bytes").ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(objects_->Put("a/b", "bytes")));
  EXPECT_TRUE(fs::is_empty(folder_ + "/.incoming"));
}

TEST_F(FolderObjectsTest, AFolderThatHasGoneIsNotAnEmptyOne) {
  fs::remove_all(folder_);
  const absl::Status read = objects_->Read("one", 0, 1).status();
  EXPECT_TRUE(absl::IsUnavailable(read)) << read;
  EXPECT_THAT(std::string(read.message()), Not(HasSubstr(folder_)));
  EXPECT_TRUE(absl::IsUnavailable(objects_->List("", "").status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(OpenFolderObjects(folder_).status()));
}

TEST_F(FolderObjectsTest, WhatWasCutOffIsRemovedAfterADay) {
  ASSERT_TRUE(objects_->Put("one", "bytes").ok());
  for (const char* name : {"old", "new"}) std::ofstream(folder_ + "/.incoming/" + name) << "by";
  fs::last_write_time(folder_ + "/.incoming/old",
                      fs::file_time_type::clock::now() - std::chrono::hours(25));
  ASSERT_TRUE(OpenFolderObjects(folder_).ok());
  EXPECT_FALSE(fs::exists(folder_ + "/.incoming/old"));
  EXPECT_TRUE(fs::exists(folder_ + "/.incoming/new"));
}

}  // namespace
}  // namespace gprofhub::store
