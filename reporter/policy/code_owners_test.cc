#include "reporter/policy/code_owners.h"

#include <gmock/gmock.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace gprofhub::reporter {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> Owners(absl::string_view text, absl::string_view path) {
  return OwnersOfFile(ParseCodeOwners(text), path);
}

// Patterns from GitHub's documentation.
TEST(OwnerPatternMatches, ReadsGitHubsPatterns) {
  EXPECT_TRUE(OwnerPatternMatches("*", "a/b/c.cc"));
  EXPECT_TRUE(OwnerPatternMatches("*.js", "a/b/c.js"));
  EXPECT_FALSE(OwnerPatternMatches("*.js", "a/b/c.jsx"));
  EXPECT_TRUE(OwnerPatternMatches("/build/logs/", "build/logs/x/y.txt"));
  EXPECT_FALSE(OwnerPatternMatches("/build/logs/", "sub/build/logs/y.txt"));
  EXPECT_FALSE(OwnerPatternMatches("/build/logs/", "build/logs"));
  EXPECT_TRUE(OwnerPatternMatches("docs/*", "docs/getting-started.md"));
  EXPECT_FALSE(OwnerPatternMatches("docs/*", "docs/build-app/troubleshooting.md"));
  EXPECT_TRUE(OwnerPatternMatches("apps/", "deep/apps/x.cc"));
  EXPECT_TRUE(OwnerPatternMatches("/docs/", "docs/a/b.md"));
  EXPECT_TRUE(OwnerPatternMatches("/scripts/", "scripts/x"));
  EXPECT_TRUE(OwnerPatternMatches("**/logs", "build/logs/x"));
  EXPECT_TRUE(OwnerPatternMatches("**/logs", "deeply/nested/logs"));
  EXPECT_TRUE(OwnerPatternMatches("/apps/github", "apps/github/x"));
  EXPECT_TRUE(OwnerPatternMatches("table/format.cc", "table/format.cc"));
  EXPECT_FALSE(OwnerPatternMatches("table/format.cc", "x/table/format.cc"));
  EXPECT_TRUE(OwnerPatternMatches("a/**/b", "a/b"));
  EXPECT_TRUE(OwnerPatternMatches("a/**/b", "a/x/y/b"));
  EXPECT_FALSE(OwnerPatternMatches("a/**/b", "a/xb"));
  EXPECT_TRUE(OwnerPatternMatches("/a/?.cc", "a/b.cc"));
}

TEST(OwnerPatternMatches, TakesNoTimeForPatternsMadeToTakeIt) {
  std::string pattern, path;
  while (pattern.size() < 240) pattern += "**/";
  while (path.size() < 120) path += "a/";
  EXPECT_FALSE(OwnerPatternMatches(absl::StrCat(pattern, "b"), absl::StrCat(path, "c")));
  std::string stars;
  while (stars.size() < 240) stars += "*a";
  EXPECT_FALSE(OwnerPatternMatches(absl::StrCat(stars, "b"), std::string(5000, 'a')));
}

TEST(CodeOwners, TheLastMatchWins) {
  const char* const text =
      "# everything\n* @acme/all\n\n*.cc\t@ada  # C++\n/table/ @acme/tables table@acme.example\n"
      "/table/generated/\r\n";
  EXPECT_THAT(Owners(text, "README.md"), ElementsAre("@acme/all"));
  EXPECT_THAT(Owners(text, "db/x.cc"), ElementsAre("@ada"));
  EXPECT_THAT(Owners(text, "table/x.cc"), ElementsAre("@acme/tables", "table@acme.example"));
  EXPECT_THAT(Owners(text, "table/generated/x.cc"), IsEmpty()) << "nobody's";
}

TEST(CodeOwners, EachOfGitLabsSectionsHasItsOwners) {
  const char* const text =
      "* @root\n[Database][2] @db-team\n/db/\n/db/json/ @json\n!/db/generated/\n"
      "^[documentation]\n*.md @docs\n[DATABASE]\n/store/ @store\n";
  EXPECT_THAT(Owners(text, "db/a.cc"), ElementsAre("@root", "@db-team"));
  EXPECT_THAT(Owners(text, "db/json/a.md"), ElementsAre("@root", "@json", "@docs"));
  EXPECT_THAT(Owners(text, "db/generated/a.cc"), ElementsAre("@root"));
  EXPECT_THAT(Owners(text, "store/a.cc"), ElementsAre("@root", "@store"));
}

TEST(CodeOwners, APatternMayHaveBlanks) {
  EXPECT_THAT(Owners("/a\\ b/ @x", "a b/c"), ElementsAre("@x"));
}

TEST(CodeOwners, OnlyOwnersAreOwners) {
  EXPECT_THAT(Owners("* @a,@everyone [x](http://evil) <b>@b</b> `@c` @ plain @ok @d\x1b[2J", "f"),
              ElementsAre("@ok"));
  EXPECT_THAT(Owners(absl::StrCat("* @", std::string(500, 'a')), "f"), IsEmpty());
}

TEST(CodeOwners, BoundsWhatItKeeps) {
  std::string many;
  for (int i = 0; i < 30000; ++i) absl::StrAppend(&many, "/f", i, " @x\n");
  EXPECT_THAT(ParseCodeOwners(many).sections[0].entries, SizeIs(20000));
  std::string wide = "*";
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&wide, " @x", i);
  EXPECT_THAT(Owners(wide, "f"), SizeIs(20));
  EXPECT_THAT(ParseCodeOwners(std::string(4 << 20, '*')).sections[0].entries, IsEmpty());
}

}  // namespace
}  // namespace gprofhub::reporter
