#include "cli/local/policy_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/write_file.h"
#include "cli/testing/command_line.h"

namespace gprofhub::cli {
namespace {

TEST(ReadPolicyFile, TheNamedFileCounts) {
  const std::string path = (EmptyTestFolder() / "policy.json").string();
  ASSERT_TRUE(WriteFile(path, R"({"version": 1, "gates": []})").ok());
  const auto policy = ReadPolicyFile(path);
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_TRUE(policy->gates.empty());
}

TEST(ReadPolicyFile, WithoutAFileThePolicyIsTheDefault) {
  std::filesystem::current_path(EmptyTestFolder());
  const auto policy = ReadPolicyFile("");
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_FALSE(policy->gates.empty());
}

TEST(ReadPolicyFile, TheFileOfThisFolderCountsUnlessOneIsNamed) {
  std::filesystem::current_path(EmptyTestFolder());
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
