#include "collector/access/oidc/issuers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"

namespace gprofhub::collector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kFile[] = R"({"issuers": [
  {"issuer": "https://token.example", "system": "github", "audience": "https://gprofhub.example",
   "projects": [{"repository": "acme/db", "project": "db", "main": ["main", "release/*"]},
                {"repository": "acme/web", "project": "web"}]}]})";

TEST(IssuersTest, AreReadAsTheyAreWritten) {
  const auto issuers = ParseIssuers(kFile);
  ASSERT_TRUE(issuers.ok()) << issuers.status();
  ASSERT_EQ(issuers->size(), 1u);
  const Issuer& issuer = issuers->front();
  EXPECT_EQ(issuer.issuer, "https://token.example");
  EXPECT_EQ(issuer.system, CiSystem::kGitHub);
  EXPECT_EQ(issuer.audience, "https://gprofhub.example");
  EXPECT_EQ(issuer.keys, "");
  ASSERT_EQ(issuer.projects.size(), 2u);
  EXPECT_EQ(issuer.projects[0].repository, "acme/db");
  EXPECT_EQ(issuer.projects[0].project, "db");
  EXPECT_THAT(issuer.projects[0].main, ElementsAre("main", "release/*"));
  EXPECT_TRUE(issuer.projects[1].main.empty());
}

TEST(IssuersTest, WhatIsWrongIsNamed) {
  struct Case {
    const char* from;
    const char* to;
    const char* says;
  };
  for (const Case& each :
       {Case{"\"issuers\"", "\"issuer\"", "file.issuer"},
        Case{"https://token.example", "", "issuers[0].issuer"},
        Case{"token.example", "token.example/", "slash"},
        Case{"github", "jenkins", "issuers[0].system"},
        Case{"\"audience\"", "\"audiance\"", "issuers[0].audiance"},
        Case{"\"https://gprofhub.example\"", "17", "issuers[0].audience"},
        Case{"acme/web", "acme/db", "projects[1].repository"},
        Case{"\"project\": \"web\"", "\"project\": \"\"", "projects[1].project"},
        Case{"[\"main\", \"release/*\"]", "\"main\"", "projects[0].main"},
        Case{"[\"main\", \"release/*\"]", "[]", "projects[0].main"}, Case{"]}]}", "", "no JSON"}}) {
    const absl::Status status =
        ParseIssuers(absl::StrReplaceAll(kFile, {{each.from, each.to}})).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << each.to;
    EXPECT_THAT(std::string(status.message()), HasSubstr(each.says));
  }
  EXPECT_TRUE(absl::IsInvalidArgument(ParseIssuers("").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ParseIssuers(R"({"issuers": []})").status()));
}

}  // namespace
}  // namespace gprofhub::collector
