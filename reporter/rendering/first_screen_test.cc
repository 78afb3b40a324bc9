// The first screen of a comment, and the terminal output, fit 25 lines of 120 columns for every
// report.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "reporter/rendering/markdown.h"
#include "reporter/testing/memory_history.h"
#include "reporter/testing/sample_reports.h"

namespace gprofhub::reporter {

namespace {

constexpr size_t kColumns = 120;
constexpr int kLines = 25;
// Limit including the folded parts.
constexpr int kMostLinesInAll = 60;

// Deliberately simple, so that it does not share errors with ScreenLines: the number of terminal
// lines of 120 columns before the first <details>.
int LinesOnScreen(const std::string& markdown) {
  int lines = 0;
  for (absl::string_view line : absl::StrSplit(markdown, '\n')) {
    if (absl::StartsWith(line, "<details>")) break;
    if (absl::StartsWith(line, "<!--")) continue;
    std::string shown;
    for (const std::string& word : std::vector<std::string>(absl::StrSplit(line, ' '))) {
      size_t characters = 0;
      for (const char c : absl::StrCat(shown, " ", word)) characters += (c & 0xC0) != 0x80;
      if (!shown.empty() && characters > kColumns) {
        ++lines;
        shown.clear();
      }
      absl::StrAppend(&shown, shown.empty() ? "" : " ", word);
    }
    ++lines;
  }
  return lines - 1;  // the blank line before the fold, or the text's last line end
}

void ExpectOneScreen(const v1::Report& report, const std::string& what) {
  MarkdownOptions options;
  // The maximum that a posting may add.
  options.remark = [](const FunctionRow&) {
    return absl::StrCat(std::string(118, 'r'), " ", std::string(60, 'r'));
  };
  for (const size_t closing_lines : {0, 3, 8}) {
    options.closing = [closing_lines](const std::vector<const FunctionRow*>&) {
      std::string closing;
      for (size_t i = 0; i < closing_lines; ++i) absl::StrAppend(&closing, "closing\n");
      return closing;
    };
    const std::string markdown = RenderMarkdown(report, options);
    EXPECT_LE(LinesOnScreen(markdown), kLines) << what << "\n" << markdown;
    EXPECT_LE(std::count(markdown.begin(), markdown.end(), '\n'), kMostLinesInAll) << what;
    EXPECT_NE(markdown.find("\n1. "), std::string::npos) << what << ": no cause is shown";
  }
  const std::string text = RenderText(report, {});
  EXPECT_LE(LinesOnScreen(text), kLines) << what << "\n" << text;
  EXPECT_TRUE(absl::StrContains(text, "\n  + ") || absl::StrContains(text, "\n  - "))
      << what << ": no cause is shown\n"
      << text;
}

std::string TemplateName(size_t characters) {
  std::string name = "acme::storage::index::Tree<";
  while (name.size() + 40 < characters) absl::StrAppend(&name, "std::map<std::string, Row<Key>>, ");
  return absl::StrCat(name, "int>::InsertAllOfThem<Predicate>(Predicate const&, unsigned long)");
}

// `findings` of every kind; `name` makes a name from a number.
template <typename Name>
v1::Report MadeReport(int findings, Name name) {
  v1::Report report;
  v1::Compared& compared = *report.mutable_compared();
  compared.mutable_base()->set_commit(name(1));
  compared.mutable_head()->set_commit(name(2));
  compared.set_baseline_reason(name(3));
  compared.set_configuration(name(4));
  std::mt19937 random(static_cast<unsigned>(findings));
  const std::vector<v1::Finding::Verdict> verdicts = {
      v1::Finding::REGRESSED,   v1::Finding::REGRESSED, v1::Finding::IMPROVED,
      v1::Finding::NEW,         v1::Finding::VANISHED,  v1::Finding::SHIFTED,
      v1::Finding::CANNOT_TELL, v1::Finding::EQUIVALENT};
  for (int i = 0; i < findings; ++i) {
    const auto metric = i % 3 == 1   ? v1::Finding::SELF_TIME
                        : i % 7 == 2 ? v1::Finding::TOTAL_TIME
                                     : v1::Finding::CALLS;
    v1::Finding finding = MakeFinding(
        name(i), metric, metric == v1::Finding::CALLS ? name(i + 10000) : "", name(i % 90));
    finding.set_verdict(i == 0 ? v1::Finding::REGRESSED : verdicts[random() % verdicts.size()]);
    finding.set_before(finding.verdict() == v1::Finding::NEW ? 0 : 123456789012 + i);
    finding.set_after(finding.verdict() == v1::Finding::VANISHED ? 0 : 987654321098 + i);
    finding.set_caller_calls_before(1 + random() % 1000000);
    finding.set_caller_calls_after(1 + random() % 1000000);
    finding.set_exact(false);
    finding.set_impact(1.0 / (i + 2));
    finding.set_material(i % 4 != 3);
    finding.mutable_site()->set_file(name(i + 20000));
    finding.mutable_site()->set_line(static_cast<uint32_t>(1000 * i));
    finding.set_in_diff(true);
    finding.add_follows(name(i + 30000));
    if (finding.verdict() == v1::Finding::SHIFTED) {
      finding.mutable_shift()->set_kind(v1::Shift::SPLIT);
      for (int other = 0; other < 9; ++other) finding.mutable_shift()->add_with(name(i + other));
    }
    *report.add_findings() = finding;
  }
  for (int i = 0; i < 90; ++i) {
    compared.add_targets(name(i));
    v1::TargetTotal& total = *report.add_totals();
    total.set_target(name(i));
    total.set_dimension("seconds");
    total.set_before(1234);
    total.set_after(2345 + i);
    total.set_effect_percent(90);
    total.set_speed_factor(1.5);
    total.set_verdict(v1::Finding::REGRESSED);
  }
  for (int i = 0; i < 40; ++i) {
    v1::NotCompared& left_out = *compared.add_not_compared();
    left_out.set_target(name(i));
    left_out.set_reason(name(i + 40000));
    report.add_warnings(name(i + 50000));
  }
  return report;
}

TEST(FirstScreen, HoldsTheSampleReports) {
  ExpectOneScreen(JsonReport(), "JsonReport");
  ExpectOneScreen(HostileReport(), "HostileReport");
  ExpectOneScreen(UnsampledReport(), "UnsampledReport");
  ExpectOneScreen(ReportWithTotalTime(), "ReportWithTotalTime");
}

TEST(FirstScreen, HoldsReportsOfAnySizeWithNamesOfAnyLength) {
  for (const int findings : {1, 2, 3, 10, 100, 700}) {
    for (const size_t length : {1, 30, 90, 300, 3000}) {
      const auto name = [length](int i) {
        return absl::StrCat(TemplateName(length), length < 30 ? "" : " #", i);
      };
      ExpectOneScreen(MadeReport(findings, name), absl::StrCat(findings, " of ", length));
    }
  }
}

TEST(FirstScreen, HoldsNamesMadeToBreakIt) {
  for (const char* hostile : {"\n", "`", "|", "\x1b[2J", "\u202E", "](", "<details>\n", "a b ", "<",
                              "operator()(", "\xC2\x9B"}) {
    std::string name;
    while (name.size() < 400) name += hostile;
    ExpectOneScreen(MadeReport(60, [&name](int i) { return absl::StrCat(name, i); }), hostile);
  }
}

// The common case: three causes with ordinary names.
TEST(FirstScreen, ShowsThreeCausesWithOrdinaryNames) {
  const v1::Report report = MadeReport(40, [](int i) {
    return absl::StrCat("leveldb::Reader::Read", i, "(char const*, unsigned)");
  });
  v1::Report few = report;
  few.mutable_compared()->clear_not_compared();
  few.clear_warnings();
  EXPECT_NE(RenderMarkdown(few, {}).find("\n3. "), std::string::npos) << RenderMarkdown(few, {});
  const std::string text = RenderText(few, {});
  size_t causes = 0;
  for (const char* start : {"\n  + ", "\n  - "}) {
    for (size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
      ++causes;
    }
  }
  EXPECT_EQ(causes, 3u) << text;
}

// The test detects a violation.
TEST(FirstScreen, IsMeasured) {
  EXPECT_EQ(LinesOnScreen("one\n"), 1);
  EXPECT_EQ(LinesOnScreen("one\n\ntwo\n\n<details>\nfolded\n"), 3);
  EXPECT_EQ(LinesOnScreen(std::string(60, 'a') + " " + std::string(60, 'b') + "\n"), 2);
}

}  // namespace

}  // namespace gprofhub::reporter
