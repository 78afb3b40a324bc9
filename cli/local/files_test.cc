#include "cli/local/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/write_file.h"
#include "cli/testing/command_line.h"

namespace gprofhub::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace fs = std::filesystem;

constexpr char kGmon[] = "gmon and more";
constexpr char kElf[] =
    "\x7f"
    "ELF and more";

void Put(const fs::path& path, const char* text) {
  fs::create_directories(path.parent_path());
  ASSERT_TRUE(WriteFile(path.string(), text).ok());
}

TEST(FindRunFiles, TellsFilesByTheirContentsWhateverTheirNames) {
  const fs::path folder = EmptyTestFolder();
  Put(folder / "program.txt", kGmon);
  Put(folder / "gmon.out", kElf);
  Put(folder / "notes", "nothing");
  Put(folder / "empty", "");
  const auto runs = FindRunFiles(folder.string());
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_THAT(*runs, SizeIs(1));
  EXPECT_THAT((*runs)[0].gmons, ElementsAre(folder / "program.txt"));
  EXPECT_THAT((*runs)[0].programs, ElementsAre(folder / "gmon.out"));
  EXPECT_THAT((*runs)[0].recordings, IsEmpty());
}

TEST(FindRunFiles, AFolderWithAProfileIsOneRunAtAnyDepth) {
  const fs::path folder = EmptyTestFolder();
  for (const char* name : {"b", "a", "deep/er/c"}) Put(folder / name, kGmon);
  const auto runs = FindRunFiles(folder.string());
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_THAT(*runs, SizeIs(1));
  EXPECT_THAT((*runs)[0].gmons, ElementsAre(folder / "a", folder / "b", folder / "deep/er/c"));
}

TEST(FindRunFiles, AFolderOfFoldersIsARunEachAndItsProgramIsOfAll) {
  const fs::path folder = EmptyTestFolder();
  Put(folder / "program", kElf);
  for (const char* name : {"2/gmon.out", "1/gmon.out", "3/notes"}) Put(folder / name, kGmon);
  Put(folder / "3/notes", "nothing");
  const auto runs = FindRunFiles(folder.string());
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_THAT(*runs, SizeIs(2));
  EXPECT_EQ((*runs)[0].folder, folder / "1");
  EXPECT_EQ((*runs)[1].folder, folder / "2");
  for (const RunFiles& run : *runs) EXPECT_THAT(run.programs, ElementsAre(folder / "program"));
}

TEST(FindRunFiles, WithoutAProfileThereIsNothing) {
  const fs::path folder = EmptyTestFolder();
  Put(folder / "program", kElf);
  EXPECT_EQ(FindRunFiles(folder.string()).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(FindRunFiles((folder / "program").string()).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(FindRunFiles((folder / "absent").string()).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace gprofhub::cli
