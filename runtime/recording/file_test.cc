#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "profile/format/recording.h"

extern "C" {
#include "runtime/base/config.h"
#include "runtime/recording/file.h"
}

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kPage = GPROFHUB_PAGE_BYTES;

class RecordingFile : public ::testing::Test {
 protected:
  RecordingFile() : folder_(fs::path(::testing::TempDir()) / "recordings") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::strcpy(gh_config.directory, folder_.c_str());
    std::strcpy(gh_config.program, "/usr/bin/program");
  }
  ~RecordingFile() override { fs::remove_all(folder_); }

  const fs::path folder_;
};

TEST_F(RecordingFile, IsNeverOneThatIsThere) {
  ASSERT_EQ(gh_file_create(42), 0);
  EXPECT_EQ(gh_file_path(), (folder_ / "program.42.gprofhub").string());
  ASSERT_EQ(gh_file_create(42), 0);
  EXPECT_EQ(gh_file_path(), (folder_ / "program.42.1.gprofhub").string());
  fs::create_symlink("/none", folder_ / "program.43.gprofhub");
  ASSERT_EQ(gh_file_create(43), 0);
  EXPECT_EQ(gh_file_path(), (folder_ / "program.43.1.gprofhub").string());
  gh_file_remove();
  EXPECT_FALSE(fs::exists(folder_ / "program.43.1.gprofhub"));
  EXPECT_TRUE(fs::exists(folder_ / "program.42.1.gprofhub"));
}

TEST_F(RecordingFile, InAFolderThatIsMissingIsAnError) {
  std::strcat(gh_config.directory, "/none");
  EXPECT_EQ(gh_file_create(42), -ENOENT);
}

TEST_F(RecordingFile, OfALongNameIsAnError) {
  const std::string long_name(sizeof gh_config.program - 2, 'p');
  std::strcpy(gh_config.program, ("/" + long_name).c_str());
  EXPECT_EQ(gh_file_create(42), -ENAMETOOLONG);
}

TEST_F(RecordingFile, IsMappedWhereItIsAskedFor) {
  ASSERT_EQ(gh_file_create(42), 0);
  long error = 0;
  auto* const first = static_cast<char*>(gh_file_map(nullptr, 0, kPage, &error));
  ASSERT_NE(first, nullptr) << error;
  EXPECT_EQ(std::string(first, kPage), std::string(kPage, '\0'));
  std::strcpy(first, "first");
  auto* const place = static_cast<char*>(gh_map_anonymous(nullptr, 2 * kPage));
  ASSERT_NE(place, nullptr);
  std::strcpy(place, "replaced");
  ASSERT_EQ(gh_file_map(place, kPage, 2 * kPage, &error), place) << error;
  EXPECT_STREQ(place, "");
  EXPECT_EQ(fs::file_size(gh_file_path()), 3 * kPage);
  munmap(first, kPage);
  auto* const again = static_cast<char*>(gh_file_map(nullptr, 0, kPage, &error));
  ASSERT_NE(again, nullptr) << error;
  EXPECT_STREQ(again, "first");
  munmap(again, kPage);
  munmap(place, 2 * kPage);
}

TEST_F(RecordingFile, ThatIsGoneOrTooLargeIsAnError) {
  ASSERT_EQ(gh_file_create(42), 0);
  long error = 0;
  rlimit before = {};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit = {2 * kPage, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_EQ(gh_file_map(nullptr, kPage, 2 * kPage, &error), nullptr);
  EXPECT_EQ(error, -EFBIG);
  void* const within = gh_file_map(nullptr, kPage, kPage, &error);
  EXPECT_NE(within, nullptr) << error;
  setrlimit(RLIMIT_FSIZE, &before);
  munmap(within, kPage);
  gh_file_remove();
  EXPECT_EQ(gh_file_map(nullptr, 0, kPage, &error), nullptr);
  EXPECT_EQ(error, -ENOENT);
}

// The descriptors of this process that are open on the file.
std::vector<int> OpenOn(const fs::path& file) {
  std::vector<int> open;
  struct stat wanted = {};
  if (stat(file.c_str(), &wanted) != 0) return open;
  for (int fd = 0; fd < 4096; ++fd) {
    struct stat found = {};
    if (fstat(fd, &found) == 0 && found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino) {
      open.push_back(fd);
    }
  }
  return open;
}

bool Grows(uint64_t offset) {
  long error = 0;
  void* const memory = gh_file_map(nullptr, offset, kPage, &error);
  if (memory == nullptr) return false;
  munmap(memory, kPage);
  return true;
}

TEST_F(RecordingFile, GrowsWhereItsPathNoLongerLeads) {
  ASSERT_EQ(gh_file_create(42), 0);
  const fs::path moved = folder_.string() + "-moved";
  fs::remove_all(moved);
  fs::rename(folder_, moved);
  EXPECT_TRUE(Grows(0));
  EXPECT_TRUE(Grows(kPage));
  EXPECT_EQ(fs::file_size(moved / "program.42.gprofhub"), 2 * kPage);
  EXPECT_FALSE(gh_file_is_removed());
  fs::remove_all(moved);
  EXPECT_TRUE(gh_file_is_removed());
}

TEST_F(RecordingFile, IsOpenedAgainIfTheProgramClosesIt) {
  ASSERT_EQ(gh_file_create(42), 0);
  const std::vector<int> before = OpenOn(gh_file_path());
  ASSERT_EQ(before.size(), 1u) << "out of the program's sight";
  EXPECT_GE(before[0], 500);
  close(before[0]);
  EXPECT_TRUE(Grows(0));
  EXPECT_EQ(OpenOn(gh_file_path()), before);
}

TEST_F(RecordingFile, IsNotWrittenThroughANumberThatIsAnothersNow) {
  ASSERT_EQ(gh_file_create(42), 0);
  const std::string file = gh_file_path();
  const int kept = OpenOn(file).at(0);
  const fs::path another = folder_ / "another";
  const int fd = open(another.c_str(), O_RDWR | O_CREAT, 0666);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(dup2(fd, kept), kept);
  EXPECT_TRUE(Grows(0));
  EXPECT_EQ(fs::file_size(another), 0u);
  EXPECT_EQ(fs::file_size(file), kPage);
  gh_file_close();
  EXPECT_EQ(OpenOn(another), (std::vector<int>{fd, kept}));
  EXPECT_TRUE(OpenOn(file).empty());
  close(kept);
  close(fd);
}

TEST_F(RecordingFile, IsNotAnotherOneOfItsName) {
  ASSERT_EQ(gh_file_create(42), 0);
  const std::string file = gh_file_path();
  close(OpenOn(file).at(0));
  fs::rename(file, file + ".moved");
  std::ofstream(file) << "another";
  EXPECT_FALSE(Grows(0));
  EXPECT_EQ(fs::file_size(file), 7u);
}

}  // namespace
