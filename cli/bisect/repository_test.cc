#include "cli/bisect/repository.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/testing/command_line.h"

namespace gprofhub::cli {
namespace {

namespace fs = std::filesystem;

class RepositoryTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = EmptyTestFolder();
    fs::create_directories(root_ / "user");
    git_ = ci::GitIn(root_ / "user");
    Git({"init", "-q", "-b", "main"});
  }

  std::string Git(const std::vector<std::string>& words) {
    std::vector<std::string> all = {"-c", "user.name=A. Uthor",  "-c", "user.email=a@localhost",
                                    "-c", "commit.gpgsign=false"};
    all.insert(all.end(), words.begin(), words.end());
    const auto said = git_(all);
    EXPECT_TRUE(said.ok()) << said.status();
    return said.value_or("");
  }

  std::string CommitFile(const std::string& content) {
    std::ofstream(root_ / "user" / "file") << content;
    Git({"add", "-A"});
    Git({"commit", "-q", "-m", content});
    return Git({"rev-parse", "HEAD"});
  }

  fs::path root_;
  ci::GitCommand git_;
};

TEST_F(RepositoryTest, ALineGoesFromTheBaseToTheHead) {
  const std::string one = CommitFile("one");
  CommitFile("two");
  CommitFile("three");
  const auto line = ReadLine(git_, {one.substr(0, 8), "HEAD"});
  ASSERT_TRUE(line.ok()) << line.status();
  ASSERT_EQ(line->commits.size(), 3u);
  EXPECT_FALSE(line->from_merge_base);
  EXPECT_EQ(line->commits[0].hash, one);
  EXPECT_EQ(line->commits[1].subject, "two");
  EXPECT_EQ(line->commits[2].author, "A. Uthor");
  EXPECT_EQ(line->commits[2].date.size(), 10u);
}

TEST_F(RepositoryTest, ALineFollowsFirstParents) {
  const std::string one = CommitFile("one");
  Git({"checkout", "-q", "-b", "topic"});
  CommitFile("on the branch");
  Git({"checkout", "-q", "main"});
  Git({"merge", "-q", "--no-ff", "-m", "the merge", "topic"});
  const auto line = ReadLine(git_, {one, "main"});
  ASSERT_TRUE(line.ok());
  ASSERT_EQ(line->commits.size(), 2u);
  EXPECT_EQ(line->commits[1].subject, "the merge");
}

TEST_F(RepositoryTest, ABaseBesideTheHeadGivesWayToTheMergeBase) {
  const std::string one = CommitFile("one");
  Git({"checkout", "-q", "-b", "topic"});
  CommitFile("on the branch");
  Git({"checkout", "-q", "main"});
  CommitFile("on main");
  const auto line = ReadLine(git_, {"main", "topic"});
  ASSERT_TRUE(line.ok());
  EXPECT_TRUE(line->from_merge_base);
  EXPECT_EQ(line->commits.front().hash, one);
  EXPECT_EQ(line->commits.back().subject, "on the branch");
}

TEST_F(RepositoryTest, AnEmptyRangeAndAnUnknownCommitAreErrors) {
  CommitFile("one");
  EXPECT_TRUE(absl::IsFailedPrecondition(ReadLine(git_, {"HEAD", "HEAD"}).status()));
  const auto unknown = ReadLine(git_, {"0123456789", "HEAD"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.status().message().find("shallow"), std::string::npos);
  EXPECT_FALSE(ReadLine(git_, {"--all", "HEAD"}).ok());
}

TEST(ParseRange, WantsTwoCommits) {
  EXPECT_EQ(ParseRange("a..b")->head, "b");
  EXPECT_EQ(ParseRange("a..")->head, "HEAD");
  for (const char* text : {"", "a", "..b", "a...b", ".."}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseRange(text).status())) << text;
  }
}

TEST_F(RepositoryTest, AWorktreeLeavesTheUsersCheckoutAlone) {
  const std::string one = CommitFile("one");
  CommitFile("two");
  std::ofstream(root_ / "user" / "file") << "not committed";
  const std::string folder = root_ / "tree";
  {
    const auto tree = Worktree::Open(git_, folder);
    ASSERT_TRUE(tree.ok()) << tree.status();
    ASSERT_TRUE(tree->CheckOut(one).ok());
    EXPECT_EQ(ReadTestFile(folder + "/file"), "one");
    // Left over by a build.
    std::ofstream(folder + "/file") << "changed";
    ASSERT_TRUE(tree->CheckOut("main").ok());
    EXPECT_EQ(ReadTestFile(folder + "/file"), "two");
    EXPECT_EQ(ReadTestFile(root_ / "user" / "file"), "not committed");
    EXPECT_EQ(Git({"symbolic-ref", "HEAD"}), "refs/heads/main");
  }
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_EQ(Git({"worktree", "list", "--porcelain"}).find("tree\n"), std::string::npos);
}

TEST_F(RepositoryTest, AWorktreeTakesTheFolderOfASearchThatWasKilled) {
  CommitFile("one");
  const std::string folder = root_ / "tree";
  Git({"worktree", "add", "-q", "--detach", folder});
  fs::remove(folder + "/.git");
  std::ofstream(folder + "/rest") << "rest";
  const auto tree = Worktree::Open(git_, folder);
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_FALSE(fs::exists(folder + "/rest"));
}

}  // namespace
}  // namespace gprofhub::cli
