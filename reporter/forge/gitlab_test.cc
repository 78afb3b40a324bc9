
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "reporter/testing/fake_forge.h"

namespace gprofhub::reporter {

namespace {

using ::testing::SizeIs;

TEST(GitLabTest, TheStatusOfAnotherTargetThanTheDefaultBranchNamesIt) {
  const auto gitlab = MakeFakeGitLab();
  const auto forge = gitlab->Client();
  std::vector<std::string> names;
  for (const char* target : {"main", "release/1.2"}) {
    gitlab->target_branch = target;
    gitlab->checks.clear();
    Refusals refusals;
    Check check;
    check.title = "good";
    ASSERT_TRUE(*forge->PublishCheck(*forge->ReadPullRequest("17"), check, refusals));
    ASSERT_EQ(gitlab->checks.size(), 1u);
    names.push_back(gitlab->checks[0]["name"]);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"gprofhub", "gprofhub (release/1.2)"}));
}

TEST(GitLabTest, AStateThatTheCommitHasAlreadyIsNoError) {
  const auto gitlab = MakeFakeGitLab();
  const auto forge = gitlab->Client();
  const PullRequest merge_request = *forge->ReadPullRequest("17");
  Refusals refusals;
  Check check;
  check.conclusion = Check::Conclusion::kFailure;
  for (int i = 0; i < 2; ++i) {
    const absl::Status status = forge->PublishCheck(merge_request, check, refusals).status();
    EXPECT_TRUE(status.ok()) << status;
  }
  ASSERT_THAT(gitlab->checks, SizeIs(1));
  EXPECT_EQ(gitlab->checks[0]["state"], "failed");
  check.conclusion = Check::Conclusion::kNeutral;
  ASSERT_TRUE(forge->PublishCheck(merge_request, check, refusals).ok());
  EXPECT_EQ(gitlab->checks[1]["state"], "success");
}

TEST(GitLabTest, SystemNotesAreNobodysComments) {
  const auto gitlab = MakeFakeGitLab();
  const auto forge = gitlab->Client();
  const auto comments = CommentsAt(*forge, *forge->ReadPullRequest("17"));
  ASSERT_TRUE(comments.ok()) << comments.status();
  EXPECT_THAT(*comments, SizeIs(0));
}

using Json = nlohmann::json;

Json Member(int level) { return {{"state", "active"}, {"access_level", level}}; }

Json Rule(const std::string& name, const Json& merge, const Json& push) {
  return {{"name", name}, {"merge_access_levels", merge}, {"push_access_levels", push}};
}

TEST(GitLabTest, CommandsNeedTheRightsOfTheTargetBranch) {
  const Json no_one = Json::array({{{"access_level", 0}, {"user_id", nullptr}}});
  const Json maintainers = Json::array({{{"access_level", 40}, {"group_id", nullptr}}});
  const Json developers = Json::array({{{"access_level", 30}}});
  const auto only = [](const char* kind, int64_t id) {
    return Json::array({{{"access_level", 30}, {kind, id}}});
  };
  struct Case {
    const char* name;
    std::string branch;
    Json rules;
    Json member;        // of the project
    Json group_member;  // of group 5
    bool may;
  };
  const Json unprotected = Json::array();
  const Case cases[] = {
      {"a Developer, an unprotected branch", "main", unprotected, Member(30), {}, true},
      {"a Reporter", "main", unprotected, Member(20), {}, false},
      {"not a member", "main", {Rule("main", developers, developers)}, {}, {}, false},
      {"blocked", "main", unprotected, {{"state", "blocked"}, {"access_level", 50}}, {}, false},
      {"awaiting approval",
       "main",
       unprotected,
       {{"state", "active"}, {"membership_state", "awaiting"}, {"access_level", 40}},
       {},
       false},
      {"a Developer, Maintainers' branch",
       "main",
       {Rule("main", maintainers, no_one)},
       Member(30),
       {},
       false},
      {"a Maintainer", "main", {Rule("main", maintainers, no_one)}, Member(40), {}, true},
      {"merging only", "main", {Rule("main", developers, no_one)}, Member(30), {}, true},
      {"pushing only", "main", {Rule("main", no_one, developers)}, Member(30), {}, true},
      {"no one", "main", {Rule("main", no_one, no_one)}, Member(50), {}, false},
      {"administrators only",
       "main",
       {Rule("main", Json::array({{{"access_level", 60}}}), no_one)},
       Member(50),
       {},
       false},
      {"a pattern", "rel/1.2", {Rule("rel/*", maintainers, no_one)}, Member(30), {}, false},
      {"a pattern with two stars",
       "a-x-b-y",
       {Rule("a*b*", maintainers, {})},
       Member(40),
       {},
       true},
      {"a pattern that overlaps itself",
       "ab",
       {Rule("ab*b", developers, {})},
       Member(50),
       {},
       false},
      {"the most permissive of two rules, on the second page",
       "rel/1",
       {Rule("main", developers, developers), Rule("x*", developers, no_one),
        Rule("*", maintainers, no_one), Rule("rel/*", developers, no_one)},
       Member(30),
       {},
       true},
      {"another branch's rule",
       "rel/1",
       {Rule("main", developers, developers), Rule("rel/*", maintainers, no_one)},
       Member(30),
       {},
       false},
      {"the named user", "main", {Rule("main", only("user_id", 1005), {})}, Member(20), {}, true},
      {"another user", "main", {Rule("main", only("user_id", 9), {})}, Member(50), {}, false},
      {"a deploy key",
       "main",
       {Rule("main", only("deploy_key_id", 1005), {})},
       Member(50),
       {},
       false},
      {"a custom role",
       "main",
       {Rule("main", only("member_role_id", 1), {})},
       Member(50),
       {},
       false},
      {"the named group",
       "main",
       {Rule("main", only("group_id", 5), {})},
       Member(30),
       Member(10),
       true},
      {"not in the named group",
       "main",
       {Rule("main", only("group_id", 5), {})},
       Member(50),
       {},
       false},
      {"a group that is not visible",
       "main",
       {Rule("main", only("group_id", 6), {})},
       Member(50),
       Member(50),
       false},
      {"malformed entries", "main", {Rule("main", 7, {1, "x"})}, Member(50), {}, false},
  };
  for (const Case& test : cases) {
    const auto gitlab = MakeFakeGitLab();
    gitlab->target_branch = test.branch;
    gitlab->protected_branches = test.rules;
    if (!test.member.is_null()) gitlab->members["1005"] = test.member;
    if (!test.group_member.is_null()) gitlab->members["5/1005"] = test.group_member;
    const auto forge = gitlab->Client();
    const auto may = forge->MayWrite("1005", *forge->ReadPullRequest("17"));
    ASSERT_TRUE(may.ok()) << test.name << ": " << may.status();
    EXPECT_EQ(*may, test.may) << test.name;
  }
}

TEST(GitLabTest, RulesThatTheTokenMayNotReadGrantNothing) {
  const auto gitlab = MakeFakeGitLab();
  gitlab->members["1005"] = Member(50);
  gitlab->hook = [](const std::string& request) {
    Trouble trouble;
    if (absl::EndsWith(request, "/protected_branches")) trouble.status = 403;
    return trouble;
  };
  const auto forge = gitlab->Client();
  const auto may = forge->MayWrite("1005", *forge->ReadPullRequest("17"));
  EXPECT_TRUE(absl::IsPermissionDenied(may.status())) << may.status();
}

TEST(GitLabTest, ABranchThatIsGoneGrantsNothing) {
  const auto gitlab = MakeFakeGitLab();
  gitlab->members["1005"] = Member(50);
  const auto forge = gitlab->Client();
  PullRequest merge_request = *forge->ReadPullRequest("17");
  merge_request.target_branch = "gone";
  EXPECT_FALSE(*forge->MayWrite("1005", merge_request));
}

}  // namespace

}  // namespace gprofhub::reporter
