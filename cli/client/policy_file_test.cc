#include "cli/client/policy_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/client/output.h"
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

// The working folder is an empty one.
class InEmptyFolder {
 public:
  InEmptyFolder() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(EmptyTestFolder());
  }
  ~InEmptyFolder() { std::filesystem::current_path(before_); }

 private:
  const std::filesystem::path before_;
};

TEST(LocalHistory, HasAReleaseForEachSubfolderWithAProfile) {
  const auto history = LocalHistory::Read(TwoReleases().string(), "", 10);
  ASSERT_TRUE(history.ok()) << history.status();
  ASSERT_EQ(history->releases().size(), 2u);
  EXPECT_EQ(history->releases()[0].run_id(), "1.0");
  EXPECT_EQ(history->releases()[1].run_id(), "2.0");
  EXPECT_THAT(history->targets(), testing::ElementsAre(kLocalTarget));
}

TEST(LocalHistory, TheLimitKeepsTheLastReleases) {
  const auto history = LocalHistory::Read(TwoReleases().string(), "", 1);
  ASSERT_TRUE(history.ok()) << history.status();
  ASSERT_EQ(history->releases().size(), 1u);
  EXPECT_EQ(history->releases()[0].run_id(), "2.0");
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
  const auto series = history->ReadSeries(kLocalTarget, {0, profile::kSeriesBuckets});
  ASSERT_TRUE(series.ok()) << series.status();
  ASSERT_EQ(series->size(), 2u);
  EXPECT_TRUE((*series)[0].measured);
  const auto bucket = history->ReadSeries(kLocalTarget, {0, 1});
  ASSERT_TRUE(bucket.ok()) << bucket.status();
  EXPECT_LT((*bucket)[0].segments[0].points.size(), (*series)[0].segments[0].points.size());
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

TEST(OwnersHere, AreThoseOfThePolicyAndOfTheFirstCodeOwners) {
  const InEmptyFolder here;
  v1::Finding finding;
  finding.mutable_site()->set_file("db/x.cc");
  reporter::Policy policy;
  EXPECT_THAT(OwnersHere(policy)(finding), testing::IsEmpty());
  ASSERT_TRUE(WriteFile("CODEOWNERS", "* @root\n").ok());
  EXPECT_THAT(OwnersHere(policy)(finding), testing::ElementsAre("@root"));
  std::filesystem::create_directory(".github");
  ASSERT_TRUE(WriteFile(".github/CODEOWNERS", "/db/ @db\n").ok());
  EXPECT_THAT(OwnersHere(policy)(finding), testing::ElementsAre("@db"));
  policy.owners = {{{"*.cc"}, {}, {"@cc"}}};
  EXPECT_THAT(OwnersHere(policy)(finding), testing::ElementsAre("@cc"));
}

TEST(ReadPolicyFile, TheNamedFileCounts) {
  const std::string path = (EmptyTestFolder() / "policy.json").string();
  ASSERT_TRUE(WriteFile(path, R"({"version": 1, "gates": []})").ok());
  const auto policy = ReadPolicyFile(path);
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_TRUE(policy->gates.empty());
}

TEST(ReadPolicyFile, WithoutAFileThePolicyIsTheDefault) {
  const InEmptyFolder here;
  const auto policy = ReadPolicyFile("");
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_FALSE(policy->gates.empty());
}

TEST(ReadPolicyFile, TheFileOfThisFolderCountsUnlessOneIsNamed) {
  const InEmptyFolder here;
  ASSERT_TRUE(WriteFile(reporter::kPolicyFile, R"({"version": 1, "gates": []})").ok());
  const auto policy = ReadPolicyFile("");
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_TRUE(policy->gates.empty());
}

TEST(ReadPolicyFile, ErrorsNameTheFile) {
  const std::filesystem::path folder = EmptyTestFolder();
  EXPECT_EQ(ReadPolicyFile((folder / "absent").string()).status().code(),
            absl::StatusCode::kNotFound);
  const std::string wrong = (folder / "wrong.json").string();
  ASSERT_TRUE(WriteFile(wrong, "{").ok());
  EXPECT_THAT(std::string(ReadPolicyFile(wrong).status().message()),
              testing::HasSubstr("wrong.json"));
}

}  // namespace

}  // namespace gprofhub::cli
