#include "ci/upload/images/image_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "profile/testing/elf_builder.h"

namespace gprofhub::ci {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ImageSearches : public ::testing::Test {
 protected:
  ImageSearches() : folder_(fs::path(::testing::TempDir()) / "images") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~ImageSearches() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& bytes) const {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  // A program with the build-id of these bytes.
  std::string WriteProgram(const std::string& name, const std::string& id) const {
    profile::ElfBuilder builder;
    builder.Add(builder.BuildId(id));
    return Write(name, builder.Bytes());
  }

  std::string Find(const std::string& build_id, const TestAttempt& attempt,
                   const std::vector<std::string>& images = {}) const {
    const auto found = ImageSearch(images).FindByBuildId(build_id, "", attempt);
    if (found.ok()) return *found;
    EXPECT_EQ(found.status().code(), absl::StatusCode::kNotFound);
    return std::string(found.status().message());
  }

  static TestAttempt Attempt(const std::vector<std::string>& executables) {
    TestAttempt attempt;
    attempt.executables = executables;
    return attempt;
  }

  const fs::path folder_;
};

TEST_F(ImageSearches, FindTheUsersImagesFirst) {
  const std::string image = WriteProgram("image", "\x01\x02");
  const std::string test = WriteProgram("test", "\x01\x02");
  EXPECT_EQ(Find("0102", Attempt({test}), {image}), image);
  EXPECT_EQ(Find("0102", Attempt({test})), test);
}

TEST_F(ImageSearches, FindRunfilesOfAFolder) {
  const std::string test = WriteProgram("test", "\x01");
  const std::string library = WriteProgram("test.runfiles/main/lib/libx.so", "\x02");
  Write("test.runfiles/main/data", "no ELF file");
  Write("test.runfiles/main/damaged",
        "\x7f"
        "ELF and no more");
  EXPECT_EQ(Find("02", Attempt({test})), library);
}

TEST_F(ImageSearches, FindRunfilesOfAManifest) {
  const std::string test = Write("test", "#!/bin/sh");
  const std::string library = WriteProgram("elsewhere/a library.so", "\x02");
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  Write("test.runfiles_manifest", "main/empty \nmain/none\nmain/pipe " +
                                      (folder_ / "pipe").string() + "\nmain/gone /none/libx.so\n" +
                                      "main/libx.so " + library + "\n");
  EXPECT_EQ(Find("02", Attempt({test})), library);
}

TEST_F(ImageSearches, SayWhereTheyLooked) {
  const std::string test = WriteProgram("test", "\x01");
  Write("test.runfiles/data", "no ELF file");
  const std::string message = Find("02", Attempt({test}), {"/none/image"});
  EXPECT_THAT(message, HasSubstr("no file with build-id 02 was found"));
  EXPECT_THAT(message, HasSubstr("(looked at the test's executable " + test +
                                 ", 1 runfiles and 1 --image files)"));
  EXPECT_THAT(Find("02", Attempt({})), HasSubstr("(looked at no executable of the test, 0 runfil"));
}

TEST_F(ImageSearches, RememberWhatTheyHaveRead) {
  const std::string test = WriteProgram("test", "\x01\x02");
  ImageSearch search({});
  ASSERT_TRUE(search.FindByBuildId("0102", "", Attempt({test})).ok());
  fs::remove(test);
  const auto again = search.FindByBuildId("0102", "", Attempt({test}));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, test);
}

TEST_F(ImageSearches, TheTestBinaryIsTheFirstExecutableThatIsAProgram) {
  const std::string script = Write("script", "#!/bin/sh");
  const std::string test = WriteProgram("test", "");
  const std::string image = WriteProgram("image", "\x01");
  ImageSearch search({image});
  const auto found = search.TestBinary(Attempt({"/none", script, test}));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, test);
}

TEST_F(ImageSearches, TheTestBinaryIsElseTheUsersOnlyImage) {
  const std::string script = Write("script", "#!/bin/sh");
  ImageSearch one({"/image"});
  EXPECT_EQ(one.TestBinary(Attempt({script})).value_or(""), "/image");
  ImageSearch two({"/image", "/other"});
  const absl::Status status = two.TestBinary(Attempt({script})).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr(script + " is absent or no ELF file"));
  EXPECT_THAT(std::string(two.TestBinary(Attempt({})).status().message()),
              HasSubstr("the test has no executable on this machine; name the program with"));
}

}  // namespace
}  // namespace gprofhub::ci
