#include "cli/client/profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/client/output.h"
#include "cli/testing/parser_runs.h"
#include "profile/testing/sample_profile.h"

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

using ::testing::HasSubstr;

constexpr char kData[] = "cli/testdata/";

void Copy(const std::string& name, const fs::path& to) {
  fs::create_directories(to.parent_path());
  fs::copy_file(absl::StrCat(kData, name), to);
}

// How often `function` was called, at all its sites.
uint64_t CallsOf(const profile::ComputedProfile& profile, const std::string& function) {
  for (const profile::FunctionCost& cost : profile.functions) {
    if (profile.strings[cost.name] == function) return cost.calls;
  }
  return 0;
}

TEST(ReadLocalRuns, AProfileIsOfTheProgramBesideIt) {
  const fs::path folder = EmptyTestFolder();
  Copy("before", folder / "parser");
  Copy("before.gmon", folder / "parser.gmon");
  const auto runs = ReadLocalRuns(folder, "");
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_EQ(CallsOf((*runs)[0], "parse"), 10u);
  EXPECT_EQ(CallsOf((*runs)[0], "next"), 10u);
}

TEST(ReadLocalRuns, ProfilesOfOneFolderAreOneRun) {
  const fs::path folder = EmptyTestFolder();
  Copy("before", folder / "parser");
  Copy("before.gmon", folder / "gmon.1");
  Copy("before.gmon", folder / "gmon.2");
  const auto runs = ReadLocalRuns(folder, "");
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_EQ((*runs)[0].profiles, 2u);
  EXPECT_EQ(CallsOf((*runs)[0], "next"), 20u);
}

TEST(ReadLocalRuns, FoldersInAFolderAreARunEach) {
  const fs::path folder = EmptyTestFolder();
  Copy("before", folder / "parser");
  Copy("before.gmon", folder / "1/gmon.out");
  Copy("before.gmon", folder / "2/gmon.out");
  const auto runs = ReadLocalRuns(folder, "");
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 2u);
  EXPECT_EQ(CallsOf((*runs)[1], "next"), 10u);
}

TEST(ReadLocalRuns, OfARecordingAndItsGmonFileTheRecordingCounts) {
  const fs::path folder = EmptyTestFolder();
  Copy("recorded", folder / "recorded");
  Copy("recorded.gmon", folder / "recorded.gmon.1");
  Copy("recorded.recording", folder / "recorded.1.gprofhub");
  const auto runs = ReadLocalRuns(folder, "");
  ASSERT_TRUE(runs.ok()) << runs.status();
  EXPECT_EQ((*runs)[0].profiles, 1u);
  EXPECT_EQ(CallsOf((*runs)[0], "next"), 80u);
}

// An emulator may hide the modules.
TEST(ReadLocalRuns, ARecordingWithoutModulesHasItsEnvironment) {
  const fs::path folder = EmptyTestFolder();
  Copy("recorded", folder / "recorded");
  profile::RecordingBuilder builder;
  std::strcpy(builder.header.environment.architecture, "x86_64");
  std::strcpy(builder.header.environment.emulator, "qemu-x86_64");
  builder.AddTable(GPROFHUB_ARCS, {{0x10100, 0x10200, 5, 0}});
  std::ofstream(folder / "recorded.1.gprofhub", std::ios::binary) << builder.Bytes();
  const auto runs = ReadLocalRuns(folder, "");
  ASSERT_TRUE(runs.ok()) << runs.status();
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_TRUE((*runs)[0].functions.empty());
  ASSERT_EQ((*runs)[0].environments.size(), 1u);
  EXPECT_EQ((*runs)[0].environments[0].emulator, "qemu-x86_64");
}

TEST(ReadLocalRuns, TheNamedProgramComesBeforeThoseBeside) {
  const fs::path folder = EmptyTestFolder();
  Copy("before.gmon", folder / "gmon.out");
  const auto runs = ReadLocalRuns(folder, absl::StrCat(kData, "before"));
  ASSERT_TRUE(runs.ok()) << runs.status();
  EXPECT_EQ(CallsOf((*runs)[0], "parse"), 10u);
}

TEST(ReadLocalRuns, WithoutAProgramThereIsNothingToSay) {
  const fs::path folder = EmptyTestFolder();
  Copy("before.gmon", folder / "gmon.out");
  const absl::Status status = ReadLocalRuns(folder, "").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("pass it with --image"));
  EXPECT_EQ(ReadLocalRuns(folder / "absent", "").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace

}  // namespace gprofhub::cli
