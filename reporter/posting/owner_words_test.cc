#include "reporter/posting/owner_words.h"

#include <gtest/gtest.h>

namespace gprofhub::reporter {
namespace {

TEST(OwnerList, NameWithoutMentioning) {
  EXPECT_EQ(OwnerList({}, OwnerStyle::kMarkdown), "");
  EXPECT_EQ(OwnerList({"@acme/parsers", "ada@acme.example"}, OwnerStyle::kMarkdown),
            "`acme/parsers`, `ada@acme.example`");
  EXPECT_EQ(OwnerList({"@acme/parsers"}, OwnerStyle::kText), "acme/parsers");
  EXPECT_EQ(OwnerList({"@a", "@b", "@c", "@d", "@e"}, OwnerStyle::kMarkdown),
            "`a`, `b`, `c` and 2 more");
}

TEST(OwnerList, MentionWhoCanBeMentioned) {
  EXPECT_EQ(OwnerList({"@acme/parsers", "@ada", "ada@acme.example"}, OwnerStyle::kMention),
            "@acme/parsers, @ada, `ada@acme.example`");
}

TEST(OwnerList, CallNobodyElseAndAreNoMarkup) {
  for (const char* hostile :
       {"@all", "@ALL", "@everyone", "@here", "@a @b", "@a\n@b", "@a`", "@a](https://evil)", "@a/",
        "@/a", "@", "@@maintainers", "@-a", "@_a_", "<b>@a", "@a\x1b[2J", "a@b"}) {
    EXPECT_FALSE(CanBeMentioned(hostile)) << hostile;
    const std::string words = OwnerList({hostile}, OwnerStyle::kMention);
    EXPECT_EQ(words.rfind("`", 0), 0u) << words;
    EXPECT_EQ(words.find('`', 1), words.size() - 1) << words;
    EXPECT_EQ(words.find('\x1b'), std::string::npos);
    EXPECT_EQ(OwnerList({hostile}, OwnerStyle::kText).find('\n'), std::string::npos);
  }
  EXPECT_FALSE(CanBeMentioned("@" + std::string(100, 'a')));
}

}  // namespace
}  // namespace gprofhub::reporter
