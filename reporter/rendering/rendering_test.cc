#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "reporter/comparison/compare.h"
#include "reporter/findings/diff_lines.h"
#include "reporter/rendering/json.h"
#include "reporter/rendering/markdown.h"
#include "reporter/rendering/text.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

constexpr char kTarget[] = "//db:query_test";

// As golden files are made: a mismatch leaves what was rendered in the test's
// outputs, to look at and to copy.
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

ComparisonSide Side(const std::string& commit, const std::string& branch, int64_t run) {
  ComparisonSide side;
  side.about.set_commit(commit);
  side.about.set_branch(branch);
  side.about.set_run_id(std::to_string(run));
  side.about.set_executions(1);
  return side;
}

v1::Report CompareTwo(const profile::ComputedProfile& before,
                      const profile::ComputedProfile& after) {
  ComparisonSide base = Side("1111111111111111111111111111111111111111", "main", 7);
  ComparisonSide head = Side("2222222222222222222222222222222222222222", "faster-json", 8);
  base.targets[kTarget] = {before};
  head.targets[kTarget] = {after};
  v1::Report report = CompareRuns(base, head, CompareOptions());
  report.mutable_compared()->set_baseline_reason("merge base");
  report.mutable_compared()->set_configuration("k8-opt");
  return report;
}

v1::Report JsonReport() {
  ProfileBuilder before, after;
  for (ProfileBuilder* builder : {&before, &after}) {
    builder->Function("main", 10, 990, "test/query_test.c", 12);
    builder->Function("jsonPrintf", 100, 290, "sqlite3.c", 206100);
    builder->Function("jsonAppendChar", 190, 100, "sqlite3.c", 206200);
    builder->Function("jsonGrow", 100, 0, "sqlite3.c", 206000);
    builder->Function("sqlite3MemSize", 60, 0, "sqlite3.c", 27000);
    builder->Function("walk", 540, 0, "sqlite3.c", 9000);
    builder->Arc("", "main", 1).Arc("main", "jsonPrintf", 1000, 40);
    builder->Arc("main", "walk", 1000, 42);
  }
  before.Arc("jsonPrintf", "jsonAppendChar", 155620, 206120);
  before.Arc("jsonAppendChar", "jsonGrow", 155620, 206230);
  before.Arc("main", "sqlite3MemSize", 82635, 44);
  after.Arc("jsonPrintf", "jsonAppendChar", 239477, 206140);
  after.Arc("jsonAppendChar", "jsonGrow", 239477, 206250);
  after.Arc("main", "sqlite3MemSize", 37664, 44);
  after.Function("jsonCache", 20, 0, "sqlite3.c", 205000).Arc("main", "jsonCache", 12, 46);
  return CompareTwo(before.Build(), after.Build());
}

TEST(RenderMarkdown, MoreCallsFewerCallsAndANewFunction) {
  ExpectGolden(RenderMarkdown(JsonReport(), {"acme/db"}), "more_fewer_and_new_calls.md");
}

TEST(RenderMarkdown, NothingChanged) {
  ProfileBuilder builder;
  builder.Function("main", 4).Arc("", "main", 1);
  ExpectGolden(RenderMarkdown(CompareTwo(builder.Build(), builder.Build()), {}),
               "nothing_changed.md");
}

TEST(RenderMarkdown, NoBaseline) {
  v1::Report report;
  report.mutable_compared()->mutable_head()->set_commit("2222222222222222222222222222222222222222");
  report.mutable_compared()->set_baseline_reason("none: no run of the main branch");
  ExpectGolden(RenderMarkdown(report, {}), "no_baseline.md");
}

// Names as an attacker would have them.
const char* const kHostileNames[] = {
    "`</code></td></table><script>alert(1)</script>",
    "a | b | c",
    "\\| \\",
    "x\n\n# heading\n<!-- gprofhub:other -->",
    "@everyone please [look](https://evil.example) ![](https://evil.example/pixel.png)",
    "\x1b]0;title\x07\x1b[31mred",
    "\u202Eesrever\u2066",
    "https://evil.example www.evil.example a@evil.example #1",
    "</summary></details><img src=x onerror=alert(1)>",
};

v1::Report HostileReport() {
  ProfileBuilder before, after;
  for (ProfileBuilder* builder : {&before, &after}) {
    builder->Function("main", 1).Arc("", "main", 1);
  }
  uint64_t count = 10;
  for (const char* name : kHostileNames) {
    for (ProfileBuilder* builder : {&before, &after}) builder->Function(name, 9, 0, name, 1);
    before.Arc("main", name, count);
    after.Arc("main", name, count + 1);
    ++count;
  }
  v1::Report report = CompareTwo(before.Build(), after.Build());
  v1::Compared& compared = *report.mutable_compared();
  compared.mutable_head()->set_branch(kHostileNames[3]);
  compared.mutable_base()->set_commit("` | @x");
  compared.set_configuration(kHostileNames[4]);
  compared.set_baseline_reason(kHostileNames[0]);
  compared.add_new_targets(kHostileNames[8]);
  report.add_warnings(kHostileNames[7]);
  return report;
}

// What remains of a line once its code spans are taken out: all that may be
// markup.
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
  std::stringstream markdown(RenderMarkdown(HostileReport(), {"p`<x>"}));
  std::string line;
  std::getline(markdown, line);
  EXPECT_EQ(line, "<!-- gprofhub:p__x_ -->");
  int table_rows = 0;
  while (std::getline(markdown, line)) {
    for (const unsigned char c : line) EXPECT_GE(c, 0x20) << line;
    EXPECT_EQ(line.find("\u202E"), std::string::npos) << line;
    const std::string outside = OutsideCode(line);
    for (const char* bad : {"@", "http", "www", "<script", "<img", "](", "evil", "heading", "\\"}) {
      EXPECT_EQ(outside.find(bad), std::string::npos) << bad << " in " << line;
    }
    if (line.rfind("| ", 0) != 0) continue;
    ++table_rows;
    // A table is cut into cells before code spans are seen.
    int cells = 0;
    for (size_t i = 1; i < line.size(); ++i) cells += line[i] == '|' && line[i - 1] != '\\';
    EXPECT_EQ(cells, 5) << line;
  }
  EXPECT_GT(table_rows, 9);
}

TEST(RenderText, NothingOfAHostileNameReachesTheTerminal) {
  const std::string text = RenderText(HostileReport(), {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
  EXPECT_EQ(text.find("\u202E"), std::string::npos);
  EXPECT_EQ(text.find("\n# heading"), std::string::npos);
}

TEST(RenderReport, SaysWhatLiesInTheDiff) {
  v1::Report report = JsonReport();
  EXPECT_EQ(RenderText(report, TextOptions()).find("in the diff"), std::string::npos);
  EXPECT_EQ(RenderMarkdown(report, {"acme/db"}).find("in this diff"), std::string::npos);
  MarkChangedLines({{"sqlite3.c", {{206140, 206141}}}}, report);
  EXPECT_NE(RenderText(report, TextOptions()).find("[sqlite3.c:206140, in the diff]"),
            std::string::npos);
  EXPECT_NE(RenderMarkdown(report, {"acme/db"}).find("`sqlite3.c:206140`, in this diff |"),
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
  EXPECT_NE(text.find("jsonAppendChar  [sqlite3.c:206140]"), std::string::npos) << text;
  EXPECT_NE(text.find("called 239,477×, was 155,620; jsonPrintf calls it 239× per call, was 156"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("new: called 12×"), std::string::npos) << text;
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
  const v1::Report report = CompareTwo(before.Build(), after.Build());
  for (const size_t limit : {65000, 20000, 4000}) {
    MarkdownOptions options;
    options.max_bytes = limit;
    const std::string markdown = RenderMarkdown(report, options);
    EXPECT_LE(markdown.size(), limit);
    EXPECT_NE(markdown.find("number_2999`"), std::string::npos) << "the most important one";
    EXPECT_EQ(markdown.find("number_1`"), std::string::npos);
    EXPECT_NE(markdown.find("What was compared with what"), std::string::npos);
  }
  EXPECT_NE(RenderMarkdown(report, {}).find("more, less important"), std::string::npos);
}

TEST(RenderJson, HasTheDocumentedFields) {
  const auto json = nlohmann::json::parse(RenderJson(JsonReport()));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["compared"]["baseline_reason"], "merge base");
  EXPECT_EQ(json["compared"]["base"]["run_id"], "7");
  const auto& finding = json["findings"][0];
  EXPECT_EQ(finding["verdict"], "regressed");
  EXPECT_EQ(finding["metric"], "calls");
  EXPECT_EQ(finding["function"], "jsonAppendChar");
  EXPECT_EQ(finding["caller"], "jsonPrintf");
  EXPECT_EQ(finding["site"]["file"], "sqlite3.c");
  EXPECT_EQ(finding["site"]["line"], 206140);
  EXPECT_EQ(finding["before"], 155620);
  EXPECT_EQ(finding["after"], 239477);
  EXPECT_EQ(finding["exact"], true);
  EXPECT_NEAR(finding["effect_percent"], 53.886, 0.001);
  EXPECT_TRUE(finding["interval"].is_null());
  EXPECT_EQ(finding["follows"], nlohmann::json::array({"jsonGrow"}));
  for (const auto& entry : json["findings"]) {
    EXPECT_EQ(entry["interval"].is_null(), entry["metric"] == "calls");
    EXPECT_EQ(entry.size(), finding.size()) << "every finding has every field";
  }
}

TEST(RenderJson, IsAsciiWhateverTheNames) {
  for (const unsigned char c : RenderJson(HostileReport())) {
    EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F)) << static_cast<int>(c);
  }
}

// A test too short for a sample, in which parse calls next four times as often.
v1::Report UnsampledReport() {
  const auto build = [](uint64_t calls) {
    ProfileBuilder builder;
    builder.Function("main").Function("parse").Function("next", 0, 0, "src/lexer.cc", 8);
    builder.Arc("", "main", 1).Arc("main", "parse", 20).Arc("parse", "next", calls, 12);
    return builder.Build();
  };
  return CompareTwo(build(20), build(80));
}

TEST(RenderReport, WithoutSamplesSaysThatNoShareIsKnown) {
  const v1::Report report = UnsampledReport();
  for (const std::string& text : {RenderText(report, {}), RenderMarkdown(report, {})}) {
    EXPECT_NE(text.find("1 change of calls without a known share of CPU (no samples)"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("about 59% of the test's calls (share of CPU not known: no samples)"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("of the test's CPU"), text.find("of the test's CPU is estimated"));
    EXPECT_EQ(text.find("of a test's CPU"), std::string::npos) << text;
  }
  const auto json = nlohmann::json::parse(RenderJson(report));
  const auto& finding = json["findings"][0];
  EXPECT_TRUE(finding["impact"].is_null());
  EXPECT_TRUE(finding["weight"].is_null());
  EXPECT_NEAR(finding["share_of_calls"].get<double>(), 60. / 101, 1e-9);
  for (const auto& sampled : nlohmann::json::parse(RenderJson(JsonReport()))["findings"]) {
    EXPECT_TRUE(sampled["impact"].is_number());
    EXPECT_TRUE(sampled["share_of_calls"].is_null());
  }
}

// Five runs a side, in which the time of all that main calls grows; with call stacks or
// without.
v1::Report TotalsReport(bool with_stacks) {
  const auto runs = [&](double samples) {
    std::vector<profile::ComputedProfile> profiles;
    for (int i = 0; i < 5; ++i) {
      ProfileBuilder builder;
      builder.Function("main", 2000, samples).Function("work", samples).Arc("", "main", 1);
      builder.Arc("main", "work", 1);
      profiles.push_back(builder.Build());
      if (with_stacks) profiles.back().complete_stack_samples = profiles.back().total_samples;
    }
    return profiles;
  };
  ComparisonSide base, head;
  base.targets[kTarget] = runs(5000);
  head.targets[kTarget] = runs(5050);
  return CompareRuns(base, head, CompareOptions());
}

TEST(RenderReport, SaysWhetherATotalTimeIsMeasured) {
  for (const bool measured : {false, true}) {
    const v1::Report report = TotalsReport(measured);
    const char* const words =
        measured ? "time with all it calls (measured)" : "time with all it calls (estimated)";
    const char* const others = measured ? "(estimated)" : "(measured)";
    for (const std::string& text : {RenderText(report, {}), RenderMarkdown(report, {})}) {
      EXPECT_NE(text.find(words), std::string::npos) << text;
      EXPECT_EQ(text.find(others), std::string::npos) << text;
    }
    for (const auto& finding : nlohmann::json::parse(RenderJson(report))["findings"]) {
      if (finding["metric"] == "total_time") {
        EXPECT_EQ(finding["measured"], measured);
      } else {
        EXPECT_TRUE(finding["measured"].is_null());
      }
    }
  }
}

TEST(RenderReport, HasASectionOfTotalTimesThatFitsBoth) {
  v1::Report report = JsonReport();
  v1::Finding total;
  total.set_metric(v1::Finding::TOTAL_TIME);
  total.set_verdict(v1::Finding::REGRESSED);
  total.set_function("walk");
  total.set_target(kTarget);
  total.set_material(true);
  total.set_measured(true);
  *report.add_findings() = total;
  EXPECT_NE(RenderMarkdown(report, {}).find("<summary>Times with everything called (1)</summary>"),
            std::string::npos);
  EXPECT_NE(RenderText(report, {}).find("\nTimes with everything called (1):\n"),
            std::string::npos);
}

}  // namespace
}  // namespace gprofhub::reporter
