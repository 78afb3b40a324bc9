#include "cli/local/profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "cli/testing/command_line.h"

namespace gprofhub::cli {
namespace {

namespace fs = std::filesystem;

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
  EXPECT_THAT(std::string(status.message()), HasSubstr("name it with --image"));
  EXPECT_EQ(ReadLocalRuns(folder / "absent", "").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace gprofhub::cli
