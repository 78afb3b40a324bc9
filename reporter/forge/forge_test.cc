#include "reporter/forge/forge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "reporter/testing/fake_forge.h"

namespace gprofhub::reporter {

namespace {

using ::testing::SizeIs;

class IssuesTest : public testing::TestWithParam<std::unique_ptr<FakeForge> (*)()> {
 protected:
  const std::unique_ptr<FakeForge> fake_ = GetParam()();
  const std::unique_ptr<Forge> forge_ = fake_->Client();
};

TEST_P(IssuesTest, AnIssueIsMadeFoundEditedClosedAndOpenedAgain) {
  Issues* const issues = forge_->issues();
  ASSERT_NE(issues, nullptr);
  const auto number = issues->Create("title", "<!-- marker -->\nbody");
  ASSERT_TRUE(number.ok()) << number.status();
  ASSERT_THAT(fake_->issues, SizeIs(1));
  EXPECT_EQ(fake_->issues[0].title, "title");
  EXPECT_EQ(fake_->issues[0].label, "gprofhub");

  const auto list = issues->List();
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_THAT(*list, SizeIs(1));
  EXPECT_EQ((*list)[0].number, *number);
  EXPECT_EQ((*list)[0].body, "<!-- marker -->\nbody");
  EXPECT_TRUE((*list)[0].own);

  ASSERT_TRUE(issues->Edit(*number, "other", "more", IssueState::kClosed).ok());
  EXPECT_EQ(fake_->issues[0].title, "other");
  EXPECT_EQ(fake_->issues[0].body, "more");
  EXPECT_FALSE(fake_->issues[0].open);
  ASSERT_TRUE(issues->Edit(*number, "other", "again", IssueState::kAsItIs).ok());
  EXPECT_FALSE(fake_->issues[0].open);
  ASSERT_TRUE(issues->Edit(*number, "other", "again", IssueState::kOpen).ok());
  EXPECT_TRUE(fake_->issues[0].open);
}

TEST_P(IssuesTest, ClosedOnesAndThoseOfOthersAreListedOnAllPages) {
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(forge_->issues()->Create("t", "b").ok());
  fake_->issues[1].open = false;
  fake_->issues[2].author = "somebody";
  fake_->issues[3].label = "bug";
  const auto list = forge_->issues()->List();
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_THAT(*list, SizeIs(4));
  EXPECT_FALSE((*list)[2].own);
}

TEST_P(IssuesTest, AnIssueThatHasGoneIsNotFound) {
  EXPECT_EQ(forge_->issues()->Edit("99", "t", "b", IssueState::kClosed).code(),
            absl::StatusCode::kNotFound);
}

INSTANTIATE_TEST_SUITE_P(GitHub, IssuesTest,
                         testing::Values(
                             +[] { return MakeFakeGitHub(/*app=*/true); },
                             +[] { return MakeFakeGitHub(/*app=*/false); }));
INSTANTIATE_TEST_SUITE_P(GitLab, IssuesTest, testing::Values(&MakeFakeGitLab));

TEST(GerritTest, HasNoIssues) { EXPECT_EQ(MakeFakeGerrit()->Client()->issues(), nullptr); }

TEST(ParseNumberTest, TakesWhatForgesWrite) {
  EXPECT_EQ(*ParseNumber("17"), "17");
  EXPECT_EQ(*ParseNumber("#17"), "17");
  EXPECT_EQ(*ParseNumber("!17"), "17");
  for (const char* bad : {"", "#", "17/2", "../1", "1?x", "1234567890123456789", "-1"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseNumber(bad).status())) << bad;
  }
}

TEST(NumberAfterTest, TakesTheDigitsOfALink) {
  EXPECT_EQ(*NumberAfter("https://h/o/r/actions/runs/99", "/actions/runs/"), "99");
  EXPECT_EQ(*NumberAfter("https://h/o/r/actions/runs/99/attempts/2", "/actions/runs/"), "99");
  EXPECT_EQ(*NumberAfter("https://h/o/r/-/jobs/5#L3", "/-/jobs/"), "5");
  for (const char* bad : {"", "https://h/o/r", "/actions/runs/", "/actions/runs/x",
                          "/actions/runs/../../1", "/actions/runs/-1", "/actions/runs/1x"}) {
    EXPECT_TRUE(absl::IsFailedPrecondition(NumberAfter(bad, "/actions/runs/").status())) << bad;
  }
}

}  // namespace

}  // namespace gprofhub::reporter
