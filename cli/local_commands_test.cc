// `gprofhub diff` and `changes` on local files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/testing/parser_runs.h"

namespace gprofhub::cli {

namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(LocalDiff, TakesFoldersWithARunEach) {
  EmptyTestFolder();
  const fs::path before = RunsFolder("before", kParserBefore, 3);
  const fs::path after = RunsFolder("after", kParserAfter, 2);
  const CommandResult result = AskForProfiles({"diff", before, after, "--format=json"});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["compared"]["base"]["executions"], 3);
  EXPECT_EQ(report["findings"][0]["function"], "next");
  EXPECT_EQ(report["findings"][0]["before"], 10);
  EXPECT_EQ(report["findings"][0]["after"], 80);
  EXPECT_EQ(report["findings"][0]["exact"], true);
}

TEST(LocalDiff, MarksWhatLiesInThePatch) {
  EmptyTestFolder();
  const fs::path before = RunsFolder("before", kParserBefore, 1);
  const fs::path after = RunsFolder("after", kParserAfter, 1);
  const CommandResult plain = AskForProfiles({"diff", before, after, "--format=json"});
  ASSERT_EQ(plain.exit_code, kExitOk) << plain.err;
  const auto site = nlohmann::json::parse(plain.out)["findings"][0]["site"];
  const std::string file = site["file"], line = absl::StrCat(site["line"].get<uint32_t>());
  const fs::path patch = after / "change.patch";
  std::ofstream(patch) << "diff --git a/" << file << " b/" << file << "\n--- a/" << file
                       << "\n+++ b/" << file << "\n@@ -" << line << " +" << line
                       << " @@\n-old\n+new\n";
  const CommandResult result =
      AskForProfiles({"diff", before, after, "--format=json", "--patch", patch});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  EXPECT_EQ(nlohmann::json::parse(plain.out)["findings"][0]["in_diff"], false);
  EXPECT_EQ(nlohmann::json::parse(result.out)["findings"][0]["in_diff"], true);
  EXPECT_EQ(AskForProfiles({"diff", before, after, "--patch", after / "absent"}).exit_code,
            kExitNotFound);
}

TEST(LocalDiff, EqualSidesHaveNoChangedCounts) {
  EmptyTestFolder();
  const fs::path before = RunsFolder("before", kParserBefore, 1);
  const CommandResult result = AskForProfiles({"diff", before, before, "--format=json"});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  for (const auto& finding : nlohmann::json::parse(result.out)["findings"]) {
    EXPECT_NE(finding["metric"], "calls");
  }
}

TEST(LocalDiff, TakesSingleProfilesWithTheirProgram) {
  const std::string gmon = std::string(kParserBefore) + ".gmon";
  const CommandResult result = AskForProfiles({"diff", gmon, gmon, "--image", kParserBefore});
  EXPECT_EQ(result.exit_code, kExitOk) << result.err;
  EXPECT_EQ(AskForProfiles({"diff", gmon, gmon}).exit_code, kExitNotFound) << "no program";
}

TEST(LocalDiff, RefusesAProfileOfAnotherProgram) {
  const fs::path folder = EmptyTestFolder();
  fs::copy_file(std::string(kParserBefore) + ".gmon", folder / "gmon.out");
  fs::copy_file("/bin/true", folder / "program");
  const CommandResult result = AskForProfiles({"diff", folder, folder});
  EXPECT_EQ(result.exit_code, kExitFailure);
  EXPECT_NE(result.err.find("program"), std::string::npos) << result.err;
}

TEST(LocalDiff, SaysWhatIsMissing) {
  const fs::path folder = EmptyTestFolder();
  EXPECT_EQ(AskForProfiles({"diff", folder, folder}).exit_code, kExitNotFound);
  const CommandResult one = AskForProfiles({"diff", folder, folder / "absent"});
  EXPECT_EQ(one.exit_code, kExitNotFound);
  EXPECT_NE(one.err.find("absent is not a local path"), std::string::npos) << one.err;
}

TEST(LocalDiff, CountsAProcessThatLeftARecordingAndAGmonFileOnce) {
  const fs::path folder = EmptyTestFolder() / "recorded";
  fs::create_directories(folder);
  for (const char* name : {"recorded", "recorded.gmon", "recorded.recording"}) {
    fs::copy_file(fs::path("cli/testdata") / name, folder / name);
  }
  const CommandResult result =
      AskForProfiles({"diff", std::string(kParserBefore) + ".gmon", folder, "--format=json"});
  EXPECT_EQ(result.exit_code, kExitNotFound) << "the base has no program beside it";
  const fs::path before = RunsFolder("before", kParserBefore, 1);
  const CommandResult both = AskForProfiles({"diff", before, folder, "--format=json"});
  ASSERT_EQ(both.exit_code, kExitOk) << both.err;
  const auto report = nlohmann::json::parse(both.out);
  EXPECT_EQ(report["findings"][0]["function"], "next");
  EXPECT_EQ(report["findings"][0]["after"], 80);
}

TEST(LocalDiff, TakesSharedObjectsGmonFilesForWhatTheRecordingSays) {
  const fs::path folder = EmptyTestFolder() / "shared";
  fs::create_directories(folder);
  for (const char* name : {"shared.gmon", "shared.library.gmon", "shared.recording"}) {
    fs::copy_file(fs::path("cli/testdata") / name, folder / name);
  }
  const CommandResult order = AskForProfiles({"order", folder, "--image", "cli/testdata/shared"});
  EXPECT_EQ(order.exit_code, kExitOk) << order.err;
  EXPECT_THAT(order.out, HasSubstr("\nmain\n"));
}

TEST(LocalDiff, SaysWhichProgramARecordingWants) {
  const fs::path folder = EmptyTestFolder();
  fs::copy_file("cli/testdata/recorded.recording", folder / "recording");
  fs::copy_file("/bin/true", folder / "recorded");
  const CommandResult result = AskForProfiles({"diff", folder, folder});
  EXPECT_EQ(result.exit_code, kExitNotFound);
  EXPECT_NE(result.err.find("build-id"), std::string::npos) << result.err;
}

// A release in `folder` with a run of `program`.
void AddRelease(const fs::path& folder, const std::string& name, const std::string& program) {
  fs::create_directories(folder / name);
  fs::copy_file(program, folder / name / "program");
  fs::copy_file(program + ".gmon", folder / name / "gmon.out.17");
}

TEST(LocalChanges, TakesAFolderWithASubfolderPerRelease) {
  const fs::path folder = EmptyTestFolder();
  for (const char* name : {"1.0", "1.1", "1.2"}) AddRelease(folder, name, kParserBefore);
  for (const char* name : {"2.0", "2.1"}) AddRelease(folder, name, kParserAfter);
  // A release of two runs, and a folder without profiles.
  AddRelease(folder / "2.2", "run1", kParserAfter);
  AddRelease(folder / "2.2", "run2", kParserAfter);
  fs::create_directories(folder / "notes");
  const CommandResult result = AskForProfiles({"changes", folder, "--format=json"});
  ASSERT_EQ(result.exit_code, kExitOk) << result.err;
  const auto changes = nlohmann::json::parse(result.out);
  EXPECT_EQ(changes["runs"], 6);
  ASSERT_EQ(changes["events"].size(), 1u) << result.out;
  EXPECT_EQ(changes["events"][0]["at"]["run_id"], "2.0");
  EXPECT_EQ(changes["events"][0]["last_before"]["run_id"], "1.2");
  EXPECT_EQ(changes["events"][0]["cause"]["function"], "next");

  const CommandResult newest = AskForProfiles({"changes", folder, "--runs=4", "--format=json"});
  EXPECT_EQ(nlohmann::json::parse(newest.out)["events"][0]["last_before"]["run_id"], "1.2");
  const CommandResult text = AskForProfiles({"changes", folder});
  EXPECT_NE(text.out.find("\n2.0  (after 1.2)\n"), std::string::npos) << text.out;
}

TEST(LocalChanges, ListsTheNewestAndCountsTheOthers) {
  const fs::path folder = EmptyTestFolder();
  for (const char* name : {"1.0", "1.1", "1.2"}) AddRelease(folder, name, kParserBefore);
  for (const char* name : {"2.0", "2.1", "2.2"}) AddRelease(folder, name, kParserAfter);
  for (const char* name : {"3.0", "3.1", "3.2"}) AddRelease(folder, name, kParserBefore);
  const CommandResult all = AskForProfiles({"changes", folder});
  EXPECT_EQ(all.out.find("2 changes in 9 runs, newest first\n\n3.0  (after 2.2)"), 0u) << all.out;
  EXPECT_EQ(all.out.find("older change"), std::string::npos) << all.out;
  const CommandResult newest = AskForProfiles({"changes", folder, "--limit=1"});
  EXPECT_EQ(newest.out.find("2 changes in 9 runs, newest first\n\n3.0  (after 2.2)"), 0u);
  EXPECT_NE(newest.out.find("\n1 older change: --limit 2 lists everything\n"), std::string::npos)
      << newest.out;
  const CommandResult json = AskForProfiles({"changes", folder, "--limit=1", "--format=json"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["events"].size(), 1u) << json.out;
  EXPECT_EQ(nlohmann::json::parse(json.out)["older_events"], 1);
}

TEST(LocalChanges, SaysWhatIsMissing) {
  const fs::path folder = EmptyTestFolder();
  const CommandResult empty = AskForProfiles({"changes", folder});
  EXPECT_EQ(empty.exit_code, kExitNotFound);
  EXPECT_NE(empty.err.find("one subfolder per release"), std::string::npos) << empty.err;
  EXPECT_EQ(AskForProfiles({"changes", folder / "absent"}).exit_code, kExitNotFound);
  EXPECT_EQ(AskForProfiles({"changes", folder, "--branch", "main"}).exit_code, kExitUsage);
  fs::create_directories(folder / "1.0");
  fs::copy_file(std::string(kParserBefore) + ".gmon", folder / "1.0" / "gmon.out");
  EXPECT_EQ(AskForProfiles({"changes", folder}).exit_code, kExitNotFound) << "no program";
}

TEST(LocalDiff, TakesNamesOfAnyBytes) {
  const fs::path folder = EmptyTestFolder();
  fs::create_directories(folder / "copies");
  const fs::path before = RunsFolder("before", HostileCopy(kParserBefore, folder / "copies"), 1);
  const fs::path after = RunsFolder("after", HostileCopy(kParserAfter, folder / "copies"), 1);
  const CommandResult text = AskForProfiles({"diff", before, after, "--all"});
  ASSERT_EQ(text.exit_code, kExitOk) << text.err;
  EXPECT_THAT(text.out, HasSubstr(kHostileNameShown));
  EXPECT_EQ(text.out.find('\x1b'), std::string::npos);
  const CommandResult json = AskForProfiles({"diff", before, after, "--format=json"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["findings"][0]["follows"],
            nlohmann::json::array({"r\x1b[2J\nok<0xE9>n"}));
}

}  // namespace

}  // namespace gprofhub::cli
