#include "cli/local/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {
namespace {

namespace fs = std::filesystem;

// Two releases of one run each, and a folder without profiles.
fs::path TwoReleases() {
  const fs::path folder = EmptyTestFolder();
  for (const auto& [release, program] :
       {std::pair("1.0", kParserBefore), std::pair("2.0", kParserAfter)}) {
    fs::create_directories(folder / release);
    fs::copy_file(program, folder / release / "program");
    fs::copy_file(std::string(program) + ".gmon", folder / release / "gmon.out");
  }
  fs::create_directories(folder / "notes");
  return folder;
}

TEST(LocalHistory, HasAReleaseForEachSubfolderWithAProfile) {
  const auto history = LocalHistory::Read(TwoReleases().string(), "", 10);
  ASSERT_TRUE(history.ok()) << history.status();
  ASSERT_EQ(history->releases().size(), 2u);
  EXPECT_EQ(history->releases()[0].about.run_id(), "1.0");
  EXPECT_EQ(history->releases()[1].about.run_id(), "2.0");
  EXPECT_THAT(history->targets(), testing::ElementsAre(kLocalTarget));
}

TEST(LocalHistory, TheLimitKeepsTheLastReleases) {
  const auto history = LocalHistory::Read(TwoReleases().string(), "", 1);
  ASSERT_TRUE(history.ok()) << history.status();
  ASSERT_EQ(history->releases().size(), 1u);
  EXPECT_EQ(history->releases()[0].about.run_id(), "2.0");
}

TEST(LocalHistory, GivesBackWhatItRead) {
  auto history = LocalHistory::Read(TwoReleases().string(), "", 10);
  ASSERT_TRUE(history.ok()) << history.status();
  const auto profiles = history->ReadProfiles(kLocalTarget, 1);
  ASSERT_TRUE(profiles.ok()) << profiles.status();
  ASSERT_EQ(profiles->size(), 1u);
  uint64_t calls = 0;
  for (const profile::FunctionCost& function : (*profiles)[0].functions) {
    if ((*profiles)[0].strings[function.name] == "next") calls += function.calls;
  }
  EXPECT_EQ(calls, 80u);
  const auto series = history->ReadSeries(kLocalTarget, 0);
  ASSERT_TRUE(series.ok()) << series.status();
  ASSERT_EQ(series->size(), 2u);
  EXPECT_TRUE((*series)[0].measured);
  EXPECT_TRUE(history->ReadProfiles("//another:target", 1)->empty());
}

TEST(LocalHistory, SaysWhatAFolderMustHold) {
  const fs::path folder = EmptyTestFolder();
  const absl::Status empty = LocalHistory::Read(folder.string(), "", 10).status();
  EXPECT_EQ(empty.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(empty.message()), testing::HasSubstr("one subfolder per release"));
  EXPECT_EQ(LocalHistory::Read((folder / "absent").string(), "", 10).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace gprofhub::cli
