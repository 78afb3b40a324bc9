#include "page/html.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "reporter/testing/sample_reports.h"

namespace gprofhub::page {

namespace {

TEST(HtmlTest, TextIsEscapedWhereverItStands) {
  EXPECT_EQ(El("p", {{"title", "\"><script>"}}, "<b>'&'</b>").bytes(),
            "<p title=\"&quot;&gt;&lt;script&gt;\">&lt;b&gt;&#39;&amp;&#39;&lt;/b&gt;</p>");
}

TEST(HtmlTest, PiecesAreNotEscapedAgain) {
  EXPECT_EQ(El("p", {}, {El("b", {}, "a<b"), " c"}).bytes(), "<p><b>a&lt;b</b> c</p>");
}

TEST(HtmlTest, ElementsWithoutContentHaveNoEnd) {
  EXPECT_EQ(El("input", {{"name", "q"}}).bytes(), "<input name=\"q\">");
}

TEST(HtmlTest, WhatDoesNotPrintIsShown) {
  EXPECT_EQ(Html("a\xE2\x80\xAE\n\xFF").bytes(), "a&lt;U+202E&gt;&lt;U+000A&gt;&lt;0xFF&gt;");
  EXPECT_EQ(Html::Lines("a\nb\x1B").bytes(), "a\nb&lt;U+001B&gt;");
}

TEST(HtmlTest, HostileNamesOpenNoElementAndEndNoAttribute) {
  for (const std::string& name : reporter::HostileNames()) {
    const std::string bytes = El("i", {{"title", name}}, name).bytes();
    ASSERT_TRUE(bytes.starts_with("<i title=\"")) << bytes;
    const std::string inner = bytes.substr(1, bytes.size() - 1 - std::string("</i>").size());
    EXPECT_EQ(inner.find('<'), std::string::npos) << bytes;
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), '"'), 2) << bytes;
    EXPECT_EQ(bytes.find('\''), std::string::npos) << bytes;
  }
}

TEST(UrlTest, OwnPathsHaveThePrefixAndNothingElse) {
  const Url own = Url::Path({"p", "a"});
  EXPECT_EQ(own.text("/team"), "/team/p/a");
  EXPECT_EQ(Url::Path({}).text("/team"), "/team/");
  EXPECT_EQ(Url::Here("x").text("/team"), "#x");
  EXPECT_EQ(Url::External("https://forge.example/p")->text("/team"), "https://forge.example/p");
}

TEST(DocumentTest, OwnPathsHaveThePrefixAndNothingElse) {
  const Url own = Url::Path({"p", "a"});
  const Html body =
      Join({El("form", {Action(own), {"data-url", own}, {"title", "/p/a"}},
               {Link(own, "/p/a"), Link(Url::Here("x"), "b"),
                Link(*Url::External("https://forge.example/p"), "c"), El("img", {Src(own)})}),
            Link(own, "d")});
  EXPECT_EQ(Document(ScriptTag(own), body, "/team"),
            "<!doctype html>\n<html lang=\"en\"><head>"
            "<script type=\"module\" src=\"/team/p/a\"></script></head><body>"
            "<form action=\"/team/p/a\" data-url=\"/team/p/a\" title=\"/p/a\">"
            "<a href=\"/team/p/a\">/p/a</a><a href=\"#x\">b</a>"
            "<a href=\"https://forge.example/p\" rel=\"noopener noreferrer\">c</a>"
            "<img src=\"/team/p/a\"></form><a href=\"/team/p/a\">d</a></body></html>\n");
}

TEST(UrlTest, SegmentsAndValuesAreCoded) {
  EXPECT_EQ(Url::Path({"p", "a/b", "x y"}).With("q", "a&b=c#").With("none", "").At("f-1").text(""),
            "/p/a%2Fb/x%20y?q=a%26b%3Dc%23#f-1");
  EXPECT_EQ(Url::Path({}).text(""), "/");
}

TEST(UrlTest, OnlyHttpLeadsAway) {
  EXPECT_TRUE(Url::External("https://forge.example/a/b#L3").has_value());
  for (const char* address :
       {"javascript:alert(1)", "data:text/html,x", "//forge.example", "ftp://a", "https://a\"b",
        "https://a b", "https://a\nb", "https://a<b", ""}) {
    EXPECT_FALSE(Url::External(address).has_value()) << address;
  }
}

TEST(HtmlTest, LinksThatLeadAwayHandNothingOn) {
  EXPECT_EQ(Link(*Url::External("https://forge.example/"), "x").bytes(),
            "<a href=\"https://forge.example/\" rel=\"noopener noreferrer\">x</a>");
}

}  // namespace

}  // namespace gprofhub::page
