#include "reporter/rendering/markdown.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "reporter/findings/diff_lines.h"
#include "reporter/findings/findings.h"
#include "reporter/testing/memory_history.h"
#include "reporter/testing/profile_builder.h"
#include "reporter/testing/sample_reports.h"

namespace gprofhub::reporter {

namespace {

MarkdownOptions Options(const std::string& project) {
  MarkdownOptions options;
  options.project = project;
  return options;
}

// Compares with the golden file. On a mismatch the rendered text is saved to the test's outputs.
void ExpectGolden(const std::string& actual, const std::string& name) {
  std::ifstream file("reporter/testdata/" + name);
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(actual, expected.str()) << "reporter/testdata/" << name;
  const char* const outputs = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  if (outputs != nullptr && actual != expected.str()) {
    std::ofstream(std::string(outputs) + "/" + name) << actual;
  }
}

TEST(RenderMarkdown, MoreCallsFewerCallsAndANewFunction) {
  ExpectGolden(RenderMarkdown(JsonReport(), Options("acme/db")), "more_fewer_and_new_calls.md");
}

TEST(RenderMarkdown, NamesWhatWasNotComparedAndSaysWhy) {
  v1::Report report = JsonReport();
  for (const char* target : {"//a:one", "//a:two"}) {
    v1::NotCompared& left_out = *report.mutable_compared()->add_not_compared();
    left_out.set_target(target);
    left_out.set_reason("out of a @cache");
  }
  const std::string markdown = RenderMarkdown(report, {});
  EXPECT_NE(markdown.find("; 2 of 3 tests were not compared.**"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("\n- not compared: `//a:one` and 1 more: `out of a @cache`\n"),
            std::string::npos)
      << markdown;
  EXPECT_NE(markdown.find("- not compared: `//a:one`, `//a:two`: `out of a @cache`\n"),
            std::string::npos)
      << markdown;
}

TEST(RenderMarkdown, NothingChanged) {
  ProfileBuilder builder;
  builder.Function("main", 4).Arc("", "main", 1);
  ExpectGolden(RenderMarkdown(SampleReport(builder.Build(), builder.Build()), {}),
               "nothing_changed.md");
}

TEST(RenderMarkdown, NoBaseline) {
  v1::Report report;
  report.mutable_compared()->mutable_head()->set_commit("2222222222222222222222222222222222222222");
  report.mutable_compared()->set_baseline_reason("none: no run of the main branch");
  ExpectGolden(RenderMarkdown(report, {}), "no_baseline.md");
}

// A line without its code spans: everything that may be markup.
std::string OutsideCode(const std::string& line) {
  std::string outside;
  bool inside = false;
  for (const char c : line) {
    if (c == '`') {
      inside = !inside;
    } else if (!inside) {
      outside += c;
    }
  }
  EXPECT_FALSE(inside) << "a code span is not closed: " << line;
  return outside;
}

TEST(RenderMarkdown, NothingOfAHostileNameIsMarkup) {
  v1::Report report = HostileReport();
  // Of tests, too.
  int hostile_tests = 0;
  for (v1::Finding& finding : *report.mutable_findings()) {
    if (!finding.material() || hostile_tests == 3) continue;
    finding.set_target(HostileNames()[static_cast<size_t>(hostile_tests++)]);
    v1::TargetTotal& total = *report.add_totals();
    total = report.totals(0);
    total.set_target(finding.target());
  }
  EXPECT_EQ(hostile_tests, 3);
  std::stringstream markdown(RenderMarkdown(report, Options("p`<x>")));
  std::string line;
  std::getline(markdown, line);
  EXPECT_EQ(line, "<!-- gprofhub:p__x_ -->");
  int table_rows = 0, columns = 0;
  while (std::getline(markdown, line)) {
    for (const unsigned char c : line) EXPECT_GE(c, 0x20) << line;
    EXPECT_EQ(line.find("\u202E"), std::string::npos) << line;
    const std::string outside = OutsideCode(line);
    for (const char* bad : {"@", "http", "www", "<script", "<img", "](", "evil", "heading", "\\"}) {
      EXPECT_EQ(outside.find(bad), std::string::npos) << bad << " in " << line;
    }
    if (line.rfind("| ", 0) != 0) continue;
    ++table_rows;
    if (line.rfind("| Test |", 0) == 0) columns = 4;
    if (line.rfind("| | Function |", 0) == 0) columns = 5;
    // Markdown splits a table into cells before it parses code spans.
    int cells = 0;
    for (size_t i = 1; i < line.size(); ++i) cells += line[i] == '|' && line[i - 1] != '\\';
    EXPECT_EQ(cells, columns) << line;
  }
  EXPECT_GT(table_rows, 5);
}

TEST(RenderMarkdown, StaysBelowTheLimitAndCutsTheLeastImportant) {
  ProfileBuilder before, after;
  before.Function("main").Arc("", "main", 1);
  after.Function("main").Arc("", "main", 1);
  for (int i = 0; i < 3000; ++i) {
    const std::string name = "function_with_a_rather_long_name_number_" + std::to_string(i);
    before.Function(name, i).Arc("main", name, 100);
    after.Function(name, i).Arc("main", name, 200);
  }
  const v1::Report report = SampleReport(before.Build(), after.Build());
  for (const size_t limit : {65000, 20000, 4000}) {
    MarkdownOptions options;
    options.max_bytes = limit;
    const std::string markdown = RenderMarkdown(report, options);
    EXPECT_LE(markdown.size(), limit);
    EXPECT_NE(markdown.find("number_2999`"), std::string::npos) << "the most important one";
    EXPECT_EQ(markdown.find("number_1`"), std::string::npos);
  }
  EXPECT_NE(RenderMarkdown(report, {}).find("Compared runs"), std::string::npos);
}

TEST(RenderMarkdown, SaysWhatLiesInTheDiff) {
  v1::Report report = JsonReport();
  EXPECT_EQ(RenderMarkdown(report, {}).find("in this diff"), std::string::npos);
  MarkChangedLines({{"sqlite3.c", {{206140, 206141}}}}, report);
  EXPECT_NE(RenderMarkdown(report, {}).find("`sqlite3.c:206140`, in this diff."),
            std::string::npos);
}

TEST(RenderMarkdown, CountsAndFoldsTotalTimes) {
  const std::string markdown = RenderMarkdown(ReportWithTotalTime(), {});
  EXPECT_NE(markdown.find("1 total time"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("\n| total time | `walk` |"), std::string::npos) << markdown;
}

TEST(RenderMarkdown, TableHasTheTimesOfAtMostThreeChangedTests) {
  v1::Report report = MakeReport({});
  for (const char* target : {"//a:one", "//a:two", "//a:three", "//a:four", "//a:same"}) {
    report.mutable_compared()->add_targets(target);
    v1::TargetTotal& total = *report.add_totals();
    total.set_target(target);
    total.set_dimension("seconds");
    total.set_before(0.662);
    total.set_after(0.662 * (1.7 + 0.1 * report.totals_size()));
    total.set_effect_percent((total.after() / total.before() - 1) * 100);
    total.set_verdict(v1::Finding::REGRESSED);
    total.set_speed_factor(1);
  }
  report.mutable_totals(4)->set_verdict(v1::Finding::EQUIVALENT);
  const std::string markdown = RenderMarkdown(report, {});
  EXPECT_NE(markdown.find("🔺 **gprofhub: 4 tests slower (largest +110%).**"), std::string::npos)
      << markdown;
  EXPECT_NE(markdown.find("\n| Test | Base | Head | Change |\n|---|--:|--:|---|\n"
                          "| `//a:four` | 662 ms | 1.39 s | +110% CPU |\n"
                          "| `//a:three` | 662 ms | 1.32 s | +100% CPU |\n"
                          "| `//a:two` | 662 ms | 1.26 s | +90% CPU |\n\n<details>"),
            std::string::npos)
      << markdown;
  EXPECT_EQ(markdown.find("slowdown"), std::string::npos);
  report.mutable_totals(2)->set_speed_factor(1.08);
  const std::string words = "head times are divided by the machine's slowdown (1.08)";
  EXPECT_NE(RenderMarkdown(report, {}).find(words), std::string::npos);
  const std::string text = RenderText(report, {});
  EXPECT_NE(text.find("\n//a:four: 662 ms → 1.39 s, +110% CPU\n"), std::string::npos) << text;
  EXPECT_NE(text.find(words), std::string::npos) << text;
}

TEST(RenderMarkdown, NamesImprovements) {
  v1::Finding one = Calls("one", "main"), two = MakeFinding("two", v1::Finding::SELF_TIME);
  one.set_verdict(v1::Finding::IMPROVED);
  two.set_verdict(v1::Finding::IMPROVED);
  one.set_impact(0.2);
  const std::string markdown = RenderMarkdown(MakeReport({one, two}), {});
  EXPECT_NE(markdown.find("🔽 **gprofhub: 2 improvements (largest −20%).**"), std::string::npos)
      << markdown;
  EXPECT_NE(markdown.find("\nImproved: `one` (−20%), `two` (−10%).\n"), std::string::npos)
      << markdown;
  EXPECT_EQ(markdown.find("Also:"), std::string::npos) << markdown;
}

TEST(RenderMarkdown, HasNothingBelowTheScreenWhereTheRestIsElsewhere) {
  MarkdownOptions options;
  options.only_screen = true;
  options.closing = [](const std::vector<const FunctionRow*>& shown) {
    return "\nBeside these " + std::to_string(shown.size()) + ": elsewhere\n";
  };
  const std::string markdown = RenderMarkdown(JsonReport(), options);
  EXPECT_EQ(markdown.find("<details>"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("\nBeside these 2: elsewhere\n"), std::string::npos);
}

TEST(RenderMarkdown, PutsRemarksBesideTheirCause) {
  MarkdownOptions options;
  options.remark = [](const FunctionRow& row) {
    return row.first->function() == "jsonCache" ? "Remarkable." : "";
  };
  const std::string markdown = RenderMarkdown(JsonReport(), options);
  const size_t cause = markdown.find("\n2. 🆕 `main` now calls `jsonCache`");
  EXPECT_NE(cause, std::string::npos) << markdown;
  EXPECT_GT(markdown.find("Remarkable."), cause);
  EXPECT_LT(markdown.find("Remarkable."), markdown.find("\nAlso: ")) << markdown;
}

TEST(RenderText, NothingOfAHostileNameReachesTheTerminal) {
  const std::string text = RenderText(HostileReport(), {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
  EXPECT_EQ(text.find("\u202E"), std::string::npos);
  EXPECT_EQ(text.find("\n# heading"), std::string::npos);
}

TEST(RenderText, NamesWhatWasNotComparedAndSaysWhy) {
  v1::Report report = JsonReport();
  v1::NotCompared& left_out = *report.mutable_compared()->add_not_compared();
  left_out.set_target("//a:one");
  left_out.set_reason("out of a cache\x1b[2J");
  EXPECT_NE(RenderText(report, {}).find("\nnot compared: //a:one: out of a cache<U+001B>[2J\n"),
            std::string::npos);
}

TEST(RenderText, SaysWhichCallsAreCounted) {
  EXPECT_NE(RenderText(JsonReport(), {.all = true})
                .find("\ncalls: of functions built with -pg; of others, as in libc and libstdc++, "
                      "only with GPROFHUB_LIBRARY_CALLS=1\n"),
            std::string::npos);
}

TEST(RenderText, ColoursOnlyWhenAsked) {
  TextOptions options;
  EXPECT_EQ(RenderText(JsonReport(), options).find('\x1b'), std::string::npos);
  options.color = true;
  EXPECT_NE(RenderText(JsonReport(), options).find('\x1b'), std::string::npos);
}

TEST(RenderText, SaysWhatChangedInWords) {
  const std::string text = RenderText(JsonReport(), {});
  EXPECT_NE(text.find("  + jsonPrintf calls jsonAppendChar 239× per call, was 156×: 239,477 calls, "
                      "were 155,620 (+54%, one run each)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("main now calls jsonCache: 12 calls, were none"), std::string::npos) << text;
  EXPECT_NE(text.find("\nand 1 side effect, 6 inconclusive times (--all lists them)\n"),
            std::string::npos)
      << text;
}

TEST(RenderText, NamesFindingsSoThatTheyCanBeExplained) {
  const v1::Report report = JsonReport();
  const std::string id = FindingId(report.findings(0));
  for (const bool all : {false, true}) {
    EXPECT_NE(RenderText(report, {false, all}).find("finding " + id), std::string::npos) << all;
  }
}

TEST(RenderText, ListsAllWhenAsked) {
  v1::Report report;
  report.mutable_compared()->mutable_base()->set_commit("1111");
  for (int i = 0; i < 300; ++i) {
    v1::Finding finding = Calls("function_" + std::to_string(i), "caller_" + std::to_string(i));
    *report.add_findings() = finding;
  }
  const std::string brief = RenderText(report, {});
  EXPECT_LE(std::count(brief.begin(), brief.end(), '\n'), 24) << brief;
  EXPECT_NE(brief.find("\nand 297 further regressions (--all lists them)\n"), std::string::npos)
      << brief;
  const std::string all = RenderText(report, {false, true});
  for (int i = 0; i < 300; ++i) {
    EXPECT_NE(all.find("function_" + std::to_string(i) + "  "), std::string::npos) << i;
  }
}

TEST(RenderText, SaysWhatLiesInTheDiff) {
  v1::Report report = JsonReport();
  EXPECT_EQ(RenderText(report, TextOptions()).find("in the diff"), std::string::npos);
  MarkChangedLines({{"sqlite3.c", {{206140, 206141}}}}, report);
  EXPECT_NE(RenderText(report, TextOptions()).find("[sqlite3.c:206140, in the diff]"),
            std::string::npos);
}

TEST(RenderText, HasASectionOfTotalTimes) {
  EXPECT_NE(RenderText(ReportWithTotalTime(), {false, true}).find("\nTotal times (1):\n"),
            std::string::npos);
}

}  // namespace

}  // namespace gprofhub::reporter
