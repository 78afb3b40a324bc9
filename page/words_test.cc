#include "page/words.h"

#include <gtest/gtest.h>

#include "absl/time/time.h"
#include "reporter/testing/sample_reports.h"

namespace gprofhub::page {

namespace {

TEST(WordsTest, MarkedNamesBecomeCode) {
  EXPECT_EQ(MarkedText("so " + MarkName("a<b>") + " calls " + MarkName("c") + ".").bytes(),
            "so <code>a&lt;b&gt;</code> calls <code>c</code>.");
  EXPECT_EQ(MarkedText("no \x03 mark \x02").bytes(), "no &lt;U+0003&gt; mark &lt;U+0002&gt;");
}

TEST(WordsTest, CountsOfQuantitiesHaveTheirUnits) {
  EXPECT_EQ(CountOf("malloc", 1234).bytes(), "1,234");
  EXPECT_EQ(CountOf("gprofhub_allocated_bytes", 1234).bytes(), "1,234 bytes");
  EXPECT_EQ(CountOf("gprofhub_waiting_microseconds", 1500).bytes(), "1.5 ms");
  EXPECT_EQ(UnitTitle("gprofhub_system_microseconds"), "Time");
  v1::Finding finding;
  finding.set_metric(v1::Finding::CALLS);
  finding.set_function("gprofhub_allocated_bytes");
  EXPECT_EQ(MetricWords(finding), "bytes");
}

TEST(WordsTest, HostileNamesStayNames) {
  for (const std::string& name : reporter::HostileNames()) {
    const std::string bytes = MarkedText("x " + MarkName(name) + " y").bytes();
    EXPECT_EQ(bytes.find('<', bytes.find("<code") + 1), bytes.find("</code> y")) << bytes;
  }
}

TEST(WordsTest, TimesAreForReadersAndMachines) {
  EXPECT_EQ(When(1700000000000).bytes(),
            "<time datetime=\"2023-11-14T22:13:20Z\" title=\"2023-11-14 22:13 UTC\">2023-11-14"
            "</time>");
  EXPECT_TRUE(When(0).empty());
}

TEST(WordsTest, RelativeTimesHaveOneUnit) {
  const absl::Time now = absl::FromUnixSeconds(1'700'000'000);
  const auto ago = [now](absl::Duration age) { return RelativeTime(now - age, now); };
  EXPECT_EQ(ago(absl::Seconds(59)), "just now");
  EXPECT_EQ(ago(-absl::Seconds(30)), "just now");
  EXPECT_EQ(ago(absl::Seconds(119)), "1 minute ago");
  EXPECT_EQ(ago(absl::Minutes(59)), "59 minutes ago");
  EXPECT_EQ(ago(absl::Minutes(60)), "1 hour ago");
  EXPECT_EQ(ago(absl::Hours(47)), "47 hours ago");
  EXPECT_EQ(ago(absl::Hours(48)), "2 days ago");
  EXPECT_EQ(ago(absl::Hours(31 * 24)), "2023-10-14");
  EXPECT_EQ(ago(-absl::Hours(24)), "2023-11-15");
}

const SourceLinks kLinks = {"https://forge.example/a/b/blob/{commit}/{file}#L{line}",
                            "https://forge.example/a/b/commit/{commit}",
                            "https://forge.example/a/b/compare/{base}...{head}"};

TEST(SourceLinksTest, LinesCommitsAndRangesHaveAddresses) {
  EXPECT_EQ(LineUrl(kLinks, "abc", "src/a b.cc", 7)->text(""),
            "https://forge.example/a/b/blob/abc/src/a%20b.cc#L7");
  EXPECT_EQ(CommitUrl(kLinks, "abc")->text(""), "https://forge.example/a/b/commit/abc");
  EXPECT_EQ(RangeUrl(kLinks, "a", "b")->text(""), "https://forge.example/a/b/compare/a...b");
}

TEST(SourceLinksTest, WhatIsNotInTheRepositoryHasNone) {
  for (const char* file :
       {"", "/usr/include/c++/12/vector", "external/sqlite/sqlite3.c", "a/../../b"}) {
    EXPECT_FALSE(LineUrl(kLinks, "abc", file, 7).has_value()) << file;
  }
  SourceLinks with_external = kLinks;
  with_external.has_external = true;
  EXPECT_TRUE(LineUrl(with_external, "abc", "external/sqlite/sqlite3.c", 7).has_value());
  EXPECT_FALSE(LineUrl(with_external, "abc", "external/../../b", 7).has_value());
  EXPECT_FALSE(LineUrl(kLinks, "", "a.cc", 7).has_value());
  EXPECT_FALSE(LineUrl({}, "abc", "a.cc", 7).has_value());
  EXPECT_EQ(PlaceOf(kLinks, "abc", "external/<b>.c", 3).bytes(),
            "<span class=\"place\">external/&lt;b&gt;.c:3</span>");
}

TEST(SourceLinksTest, ADiffIsOpenedAtItsFile) {
  SourceLinks links;
  links.range = "https://forge.example/a/compare/{base}...{head}";
  const std::string range = "https://forge.example/a/compare/b...h";
  EXPECT_EQ(RangeUrlAt(links, "b", "h", "db/parser.cc", 7)->text(""), range);
  links.range_file = "#diff-{sha256}R{line}";
  EXPECT_EQ(RangeUrlAt(links, "b", "h", "db/parser.cc", 7)->text(""),
            range + "#diff-b3bd8977a9c20d9ee664a00a0ff3b4ca1486c97a4d9ad02769ee64dc57e7d6cfR7");
  links.range_file = "#{sha1}";
  EXPECT_EQ(RangeUrlAt(links, "b", "h", "db/parser.cc", 7)->text(""),
            range + "#f8829df890d7adf5da6c2a13819f2de1852fe9f1");
  EXPECT_EQ(RangeUrlAt(links, "b", "h", "", 7)->text(""), range);
  EXPECT_EQ(RangeUrlAt(links, "b", "h", "db/parser.cc", 0)->text(""), range);
  EXPECT_FALSE(RangeUrlAt(links, "", "h", "db/parser.cc", 7).has_value());
}

}  // namespace

}  // namespace gprofhub::page
