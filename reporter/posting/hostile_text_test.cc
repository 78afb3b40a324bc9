// Names, paths, commits and reasons are untrusted. This renders them as comments and parses the
// result with cmark-gfm, GitHub's own Markdown parser: all markup that it finds must be ours.
#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/text.h"
#include "reporter/posting/posting.h"
#include "reporter/rendering/markdown.h"

namespace gprofhub::reporter {

namespace {

constexpr char kChecksUrl[] = "https://github.example/acme/db/pull/17/checks";

const std::vector<std::string>& HostileTexts() {
  static const auto* const texts = new std::vector<std::string>{
      "`",
      "``",
      "```\ncode",
      "a`b``c```d",
      "\\`",
      "`\\",
      "ends with a backslash\\",
      "|",
      "\\|",
      "\\\\|",
      "a | b | c | d | e | f | g",
      "` | ` | `",
      "x |\n|---|---|\n| y | z |",
      "\n\n# heading",
      "\r\n\r\n- list",
      "\n\n---\n\n",
      "\n\n    code block",
      "line\n===",
      "> quote",
      "[look](https://evil.example)",
      "`[look](https://evil.example)",
      "![pixel](https://evil.example/p.png)",
      "[ref]: https://evil.example",
      "[^1]",
      "<https://evil.example>",
      "https://evil.example/path?a=b",
      "www.evil.example",
      "someone@evil.example",
      "mailto:someone@evil.example",
      "@everyone",
      "`@acme/owners",
      "#1 !1 ~label %milestone $snippet &epic GH-1 acme/db#1",
      "fixes #1",
      "/close",
      "\n/merge",
      "<script>alert(1)</script>",
      "</code></td></tr></table><img src=x onerror=alert(1)>",
      "</summary></details><iframe src=//evil.example>",
      "<!-- gprofhub:other -->",
      "--><b>",
      "&lt;b&gt; &#64;everyone &amp;",
      "*bold* _it_ ~~strike~~ **b**",
      ":boom: :+1:",
      "$x^2$ $$y$$",
      "\x1b[31mred\x1b]0;title\x07",
      "\x9b"
      "31m",
      "\xC2\x9B"
      "31m",
      "\xE2\x80\xAE"
      "desrever\xE2\x81\xA6",
      "\xE2\x80\x8B\xE2\x80\x8D\xEF\xBB\xBF zero width",
      "\xF3\xA0\x81\x81 tag",
      "\xFF\xFE\xC3",
      std::string("nul\0byte", 8),
      "   leading and trailing   ",
      " ",
      std::string(5000, '`'),
      std::string(5000, '|'),
      absl::StrCat(std::string(119, 'x'), "`|@everyone"),
      "operator<<(std::ostream&, ns::T<int> const&)",
  };
  return *texts;
}

// A report with `text` in every text field.
v1::Report HostileReport(const std::string& raw) {
  // Strings of a message are UTF-8; invalid bytes become U+FFFD.
  std::string text = raw;
  if (absl::StrContains(base::Printable(raw), "<0x")) text = base::Printable(raw);
  v1::Report report;
  v1::Compared& compared = *report.mutable_compared();
  for (v1::Compared::Side* side : {compared.mutable_base(), compared.mutable_head()}) {
    side->set_run_id(text);
    side->set_commit(text);
    side->set_branch(text);
    side->set_executions(1);
  }
  compared.set_baseline_reason(text);
  compared.set_configuration(text);
  compared.add_targets(text);
  compared.add_targets("//other");
  compared.add_new_targets(text);
  compared.add_vanished_targets(text);
  compared.add_cached_targets(text);
  report.add_warnings(text);
  for (const auto verdict :
       {v1::Finding::REGRESSED, v1::Finding::IMPROVED, v1::Finding::NEW, v1::Finding::VANISHED,
        v1::Finding::SHIFTED, v1::Finding::CANNOT_TELL, v1::Finding::EQUIVALENT}) {
    for (const auto metric :
         {v1::Finding::CALLS, v1::Finding::SELF_TIME, v1::Finding::TOTAL_TIME}) {
      for (const bool with_caller : {false, true}) {
        v1::Finding& finding = *report.add_findings();
        finding.set_verdict(verdict);
        finding.set_metric(metric);
        finding.set_function(absl::StrCat(text, report.findings_size()));
        finding.set_function_display(text);
        if (with_caller) {
          finding.set_caller(text);
          finding.set_caller_display(text);
        }
        finding.mutable_site()->set_file(text);
        finding.mutable_site()->set_line(7);
        finding.set_target(text);
        finding.set_before(verdict == v1::Finding::NEW ? 0 : 100);
        finding.set_after(verdict == v1::Finding::VANISHED ? 0 : 800);
        finding.set_caller_calls_before(10);
        finding.set_caller_calls_after(10);
        finding.set_exact(metric == v1::Finding::CALLS);
        finding.set_effect_percent(700);
        finding.set_impact(0.3);
        finding.set_weight(0.5);
        finding.add_follows(absl::StrCat(text, " follower"));
      }
    }
  }
  return report;
}

// Nodes that cmark-gfm finds in a text.
struct Seen {
  std::vector<std::string> links;
  std::vector<std::string> html;     // blocks and inline, trimmed
  std::vector<std::string> outside;  // literal texts outside of code
  std::vector<std::string> code;     // code spans
  std::vector<std::string> other;    // node types that our comments never contain
  std::set<int> cells;               // numbers of cells of rows
};

Seen Parse(const std::string& markdown) {
  cmark_gfm_core_extensions_ensure_registered();
  const std::unique_ptr<cmark_parser, void (*)(cmark_parser*)> parser(
      cmark_parser_new(CMARK_OPT_UNSAFE | CMARK_OPT_FOOTNOTES), cmark_parser_free);
  for (const char* name : {"table", "strikethrough", "autolink", "tagfilter", "tasklist"}) {
    cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension(name));
  }
  cmark_parser_feed(parser.get(), markdown.data(), markdown.size());
  const std::unique_ptr<cmark_node, void (*)(cmark_node*)> root(cmark_parser_finish(parser.get()),
                                                                cmark_node_free);
  const std::unique_ptr<cmark_iter, void (*)(cmark_iter*)> walk(cmark_iter_new(root.get()),
                                                                cmark_iter_free);
  const std::set<std::string> ours = {
      "document", "paragraph", "text",         "code",       "strong",    "list",       "item",
      "table",    "table_row", "table_header", "table_cell", "softbreak", "html_block", "link"};
  Seen seen;
  for (cmark_event_type event; (event = cmark_iter_next(walk.get())) != CMARK_EVENT_DONE;) {
    cmark_node* const node = cmark_iter_get_node(walk.get());
    const std::string type = cmark_node_get_type_string(node);
    const char* const literal = cmark_node_get_literal(node);
    const std::string text = literal == nullptr ? "" : literal;
    if (event != CMARK_EVENT_ENTER) continue;
    if (ours.count(type) == 0) seen.other.push_back(type + " " + text);
    if (type == "link") seen.links.push_back(cmark_node_get_url(node));
    if (type == "text") seen.outside.push_back(text);
    if (type == "code") seen.code.push_back(text);
    if (absl::StartsWith(type, "html")) {
      for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
        seen.html.push_back(std::string(line));
      }
    }
    if (type == "table_row" || type == "table_header") {
      int cells = 0;
      for (cmark_node* cell = cmark_node_first_child(node); cell != nullptr;
           cell = cmark_node_next(cell)) {
        ++cells;
      }
      seen.cells.insert(cells);
    }
  }
  return seen;
}

bool IsOurHtml(const std::string& line) {
  if (line == "</details>") return true;
  if (absl::StartsWith(line, "<!-- gprofhub:acme/db -->") ||
      absl::StartsWith(line, "<!-- gprofhub-state: ")) {
    return std::count(line.begin(), line.end(), '<') == 1;
  }
  // Titles are our own texts.
  constexpr absl::string_view kOpen = "<details><summary>";
  constexpr absl::string_view kClose = "</summary>";
  if (!absl::StartsWith(line, kOpen) || !absl::EndsWith(line, kClose)) return false;
  const std::string title = line.substr(kOpen.size(), line.size() - kOpen.size() - kClose.size());
  return std::all_of(title.begin(), title.end(), [](char c) {
    return absl::StrContains(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ,'()-:", c);
  });
}

MarkdownOptions OfProject() {
  MarkdownOptions options;
  options.project = "acme/db";
  return options;
}

void ExpectHarmless(const std::string& markdown, const std::string& name) {
  // No cursor movement and no bidirectional override, in code or outside.
  for (absl::string_view line : absl::StrSplit(markdown, '\n')) {
    ASSERT_EQ(base::Printable(line), line) << name;
    EXPECT_FALSE(absl::StartsWith(line, "/")) << "GitLab's quick actions: " << line;
  }
  const Seen seen = Parse(markdown);
  for (const std::string& link : seen.links) EXPECT_EQ(link, kChecksUrl) << name;
  for (const std::string& html : seen.html) EXPECT_TRUE(IsOurHtml(html)) << name << ": " << html;
  EXPECT_TRUE(seen.other.empty()) << name << ": " << seen.other.front();
  for (const std::string& raw : seen.outside) {
    const std::string text = absl::StrReplaceAll(raw, {{"<0.1%", ""}});  // our own
    for (const char* bad : {"@", "http", "www", "evil", "everyone", "script", "#1", "GH-1",
                            "::", ":boom:", "$", "<", "|", "`", "~", "!["}) {
      EXPECT_FALSE(absl::StrContains(text, bad)) << name << ": " << bad << " in " << text;
    }
  }
  for (const int cells : seen.cells) EXPECT_EQ(cells, *seen.cells.begin()) << name;
  EXPECT_FALSE(seen.cells.empty()) << name << ": no table is left";
  EXPECT_FALSE(seen.code.empty()) << name;
}

TEST(HostileTextTest, NothingOfAReportIsMarkup) {
  for (const std::string& text : HostileTexts()) {
    ExpectHarmless(RenderMarkdown(HostileReport(text), OfProject()), text.substr(0, 40));
  }
}

TEST(HostileTextTest, NothingOfAPostingIsMarkup) {
  for (const std::string& text : HostileTexts()) {
    Policy policy = DefaultPolicy();
    for (GateRule& rule : policy.gates) {
      rule.name = text;
      rule.verdicts.push_back(v1::Finding::NEW);
    }
    store::AcknowledgementRecord said;
    said.function = text + "1";
    said.author = text;
    said.reason = text;
    const v1::Report report = HostileReport(text);
    const GateResult gate = JudgeGate(report, policy, {said}, "17", absl::UnixEpoch());
    ASSERT_FALSE(gate.gated.empty());
    PostingInput input;
    input.project = "acme/db";
    input.commit = std::string(40, '2');
    input.traits = {true, true, 65536};
    input.checks_url = kChecksUrl;
    const Posting posting = ComposePosting(report, gate, policy, input);
    ExpectHarmless(posting.body, text.substr(0, 40));
    for (const Annotation& annotation : posting.check.annotations) {
      EXPECT_EQ(base::Printable(annotation.message), annotation.message);
      EXPECT_EQ(base::Printable(annotation.title), annotation.title);
    }
    EXPECT_EQ(base::Printable(posting.check.title), posting.check.title);
  }
}

TEST(HostileTextTest, NothingReachesATerminal) {
  for (const std::string& text : HostileTexts()) {
    for (absl::string_view line :
         absl::StrSplit(RenderText(HostileReport(text), {.all = true}), '\n')) {
      EXPECT_EQ(base::Printable(line), line);
    }
  }
}

// The test detects markup at all.
TEST(HostileTextTest, TheParserFindsWhatIsThere) {
  const Seen seen = Parse(
      "| a | b |\n|---|---|\n| c | d |\n\n[x](https://evil.example) ![i](p.png) @you <b>x</b>\n\n"
      "# heading\n\n`code`\n");
  EXPECT_EQ(seen.links, std::vector<std::string>{"https://evil.example"});
  EXPECT_THAT(seen.html, testing::Contains("<b>"));
  EXPECT_THAT(seen.outside, testing::Contains(testing::HasSubstr("@you")));
  EXPECT_THAT(seen.other, testing::Contains(testing::HasSubstr("heading")));
  EXPECT_THAT(seen.other, testing::Contains(testing::HasSubstr("image")));
  EXPECT_EQ(seen.cells, std::set<int>{2});
}

}  // namespace

}  // namespace gprofhub::reporter
