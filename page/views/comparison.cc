#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "page/html.h"
#include "page/views/shell.h"
#include "page/views/views.h"
#include "page/words.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/function_rows.h"
#include "reporter/findings/text.h"
#include "reporter/rendering/cause_words.h"
#include "reporter/rendering/headline.h"
#include "reporter/rendering/row_words.h"
#include "reporter/rendering/test_summary.h"

namespace gprofhub::page {

namespace {

using reporter::FindingKind;
using reporter::FunctionRow;
using reporter::TestSummary;
using reporter::TestVerdict;

constexpr size_t kCards = 20;
constexpr size_t kMostTests = 200;
// Rows of one section.
constexpr size_t kMostRows = 1000;
constexpr size_t kNotes = 20;

struct Section {
  FindingKind kind;
  absl::string_view title;
  absl::string_view about;
};
constexpr Section kSections[] = {
    {FindingKind::kCause, "Further causes", "Changes that began in these functions."},
    {FindingKind::kUnconfirmed, "Unconfirmed",
     "Large, but the runs of the head do not show whether it repeats."},
    {FindingKind::kFollower, "Side effects", "Functions that changed because of the causes above."},
    {FindingKind::kTotalTime, "Total time", "Functions whose total time changed."},
    {FindingKind::kMinor, "Small changes", "Changes below the threshold of a cause."},
    {FindingKind::kShifted, "Moved, same cost", "The same work, elsewhere or under another name."},
    {FindingKind::kFolded, "Part of a change above",
     "Included in a toolchain’s change or a rewrite."},
    {FindingKind::kChance, "Differs by chance", "No changed code explains these counts."},
    {FindingKind::kCannotTell, "Inconclusive", "Too few samples for a verdict."},
    {FindingKind::kEquivalent, "Same time", "Shown to be within the minimum effect."},
};

std::string IdOf(const v1::Finding& finding) {
  return absl::StrCat("f-", reporter::FindingId(finding));
}

Html NameOf(const v1::Finding& finding) {
  return FunctionCode(finding.function_display().empty() ? finding.function()
                                                         : finding.function_display());
}

Html Card(const Context& context, const Comparison& comparison, const FunctionRow& row) {
  const v1::Finding& finding = reporter::MainFinding(row);
  const reporter::CauseWords words = reporter::WordsOfCause(row, MarkName);
  const std::string& base = comparison.base;
  const Url more = FindingUrl(context.project, comparison.run, base, reporter::FindingId(finding));
  std::vector<Html> about = {VerdictBadge(reporter::RowVerdict(row))};
  if (FailsGate(comparison, finding)) {
    about.push_back(Html(" "));
    about.push_back(Badge("worse", "✗ fails the check"));
  }
  const auto say = [&about](const Html& html) {
    if (html.empty()) return;
    about.push_back(Html(" · "));
    about.push_back(html);
  };
  say(Html(words.share));
  say(PlaceOfFinding(context, comparison.report, finding));
  if (reporter::InDiff(row)) say(Badge("neutral", "in the diff"));
  say(Html(finding.target()));
  if (row.follows > 0) say(FollowersWords(row.follows));
  if (!row.other_targets.empty()) {
    say(Html(
        absl::StrCat("also in ", reporter::CountOfNoun(row.other_targets.size(), "other target"))));
  }
  const bool has_trend = comparison.trends.contains({finding.function(), finding.target()});
  return El(
      "li", {{"class", "card walk"}, {"id", IdOf(finding)}, {"tabindex", "-1"}},
      {El("h3", {}, Link(more, MarkedText(words.what))), El("p", {{"class", "about"}}, Join(about)),
       words.why.empty() ? Html() : El("p", {}, MarkedText(words.why)),
       AcknowledgedWords(comparison, finding), HistoryOf(comparison, finding),
       El("p", {{"class", "links"}},
          {Link(more, "Evidence"),
           has_trend ? Join({Html(" · "), Link(FunctionUrl(context.project, finding.function(),
                                                           finding.target()),
                                               "Trend")})
                     : Html()})});
}

// The verdict about a whole test, with a sign.
Html TestBadge(TestVerdict verdict) {
  switch (verdict) {
    case TestVerdict::kSlower:
      return Badge("worse", "▲ slower");
    case TestVerdict::kFaster:
      return Badge("better", "▼ faster");
    case TestVerdict::kSame:
      return Badge("neutral", "= same time");
    case TestVerdict::kUnconfirmed:
      return Badge("neutral", "? unconfirmed");
    case TestVerdict::kInconclusive:
      return Badge("neutral", "? inconclusive");
    case TestVerdict::kCountsOnly:
      return Badge("neutral", "counts only");
    case TestVerdict::kNew:
      return Badge("neutral", "+ new");
    case TestVerdict::kVanished:
      return Badge("neutral", "− only in the base");
    case TestVerdict::kNotCompared:
      return Badge("neutral", "not compared");
    case TestVerdict::kUnchanged:
      return Badge("neutral", "= same binary");
  }
  return "";
}

// Link to the differential flame graph of the runs that measured the test; nothing if a side did
// not.
Html FlameLink(const Context& context, const Comparison& comparison, const std::string& target) {
  const auto base = comparison.base_runs.find(target), head = comparison.head_runs.find(target);
  if (base == comparison.base_runs.end() || head == comparison.head_runs.end()) return "";
  return Link(TargetUrl(context.project, head->second, "flame", target).With("base", base->second),
              "Flame graph");
}

Html TestsTable(const Context& context, const Comparison& comparison,
                const std::vector<TestSummary>& tests) {
  std::vector<Row> rows;
  double speed = 1;
  for (const TestSummary& test : tests) {
    if (rows.size() == kMostTests) break;
    if (test.speed_factor != 1) speed = test.speed_factor;
    Row& row = rows.emplace_back();
    row.cells = {Html(test.target),
                 Html(reporter::SecondsWords(test.base_seconds)),
                 Html(reporter::SecondsWords(test.head_seconds)),
                 test.change_percent.has_value() ? Html(reporter::HumanEffect(*test.change_percent))
                                                 : Html(),
                 test.change_percent.has_value()
                     ? Html(absl::StrCat(reporter::HumanEffect(test.interval_low_percent), " to ",
                                         reporter::HumanEffect(test.interval_high_percent)))
                     : Html(),
                 TestBadge(test.verdict),
                 Html(reporter::CauseCountWords(test)),
                 FlameLink(context, comparison, test.target)};
  }
  if (rows.empty()) return "";
  const Html table = Table("CPU time of one execution",
                           {{"Test"},
                            {"Base", true},
                            {"Head", true},
                            {"Change", true},
                            {"95% interval", true},
                            {"Verdict"},
                            {"Causes", false, "The largest, in percent of the base’s time"},
                            {"Differential"}},
                           rows);
  return Join(
      {El("h2", {}, "Tests"), table,
       tests.size() > rows.size()
           ? El("p", {{"class", "about"}},
                Html(absl::StrCat("And ", reporter::CountOfNoun(tests.size() - rows.size(), "test"),
                                  ".")))
           : Html(),
       speed == 1 ? Html()
                  : El("p", {{"class", "about"}},
                       Html(absl::StrFormat("The head’s times are divided by %.3g: the "
                                            "speed of its machine, relative to the base’s.",
                                            speed)))});
}

// What the gate recorded about the causes, and what a reader can do about them.
Html NextSteps(const Context& context, const Comparison& comparison,
               const std::vector<const FunctionRow*>& causes) {
  size_t worse = 0, failing = 0, accepted = 0;
  const v1::Finding* first = nullptr;
  for (const FunctionRow* row : causes) {
    const v1::Finding& finding = reporter::MainFinding(*row);
    const v1::Finding::Verdict verdict = reporter::RowVerdict(*row);
    if (verdict != v1::Finding::REGRESSED && verdict != v1::Finding::NEW) continue;
    ++worse;
    if (!AcknowledgedWords(comparison, finding).empty()) {
      ++accepted;
      continue;
    }
    const bool fails = FailsGate(comparison, finding);
    failing += fails;
    if (first == nullptr || (fails && failing == 1)) first = &finding;
  }
  if (worse == 0) return "";
  const std::string gate = failing > 0
                               ? absl::StrCat(reporter::CountOfNoun(failing, "change"),
                                              failing == 1 ? " fails" : " fail", " the check.")
                           : comparison.gated.empty() ? "No failing check is recorded."
                                                      : "No open change fails the check.";
  std::vector<Html> steps;
  if (first != nullptr) {
    const Url url =
        FindingUrl(context.project, comparison.run, comparison.base, reporter::FindingId(*first));
    steps.push_back(El("li", {},
                       {Html("Fix it: "), Link(url, "the evidence"),
                        Html(" shows the changed line, its callers and its callees.")}));
    steps.push_back(
        El("li", {},
           {Html("Or accept it, if it is intended: "),
            context.may_acknowledge
                ? Link(url.At("accept"), "with a reason")
                : El("code", {}, Html(absl::StrCat("gprofhub ack ", reporter::FindingId(*first)))),
            Html(".")}));
  }
  return El(
      "section", {{"class", "next"}},
      {El("h2", {}, "Next steps"),
       El("p", {},
          Html(absl::StrCat(gate, accepted > 0 ? absl::StrCat(" Accepted: ", accepted, ".") : ""))),
       steps.empty() ? Html() : El("ul", {{"class", "about"}}, Join(steps))});
}

// Head and base, and a form that compares with another base.
Html SidesLine(const Context& context, const Comparison& comparison) {
  const v1::Compared& compared = comparison.report.compared();
  const auto side = [&context](const v1::Compared::Side& one) {
    std::vector<Html> words = {CommitOf(context.links, one.commit(), one.subject())};
    if (!one.branch().empty()) words.push_back(Html(absl::StrCat(" of ", one.branch())));
    if (!one.run_id().empty()) {
      words.push_back(Html(" ("));
      words.push_back(
          Link(RunUrl(context.project, one.run_id()), Html(absl::StrCat("run ", one.run_id()))));
      words.push_back(Html(")"));
    }
    return Join(words);
  };
  std::vector<Html> words;
  if (!comparison.head.pull_request().empty()) {
    words.push_back(Html("Pull request "));
    words.push_back(PullRequestOf(context.links, comparison.head.pull_request()));
    words.push_back(Html(": "));
  }
  words.push_back(side(compared.head()));
  if (!compared.base().run_id().empty()) {
    words.push_back(Html(", compared with "));
    words.push_back(side(compared.base()));
    words.push_back(Html(absl::StrCat(", ", compared.baseline_reason())));
  }
  if (const std::optional<Url> job = Url::External(comparison.head.ci_link()); job.has_value()) {
    words.push_back(Html(" · "));
    words.push_back(Link(*job, "CI job"));
  }
  return El("p", {{"class", "about"}}, Join(words));
}

Html BasePicker(const Context& context, const Comparison& comparison) {
  const auto option = [&comparison](const std::string& value, const Html& words) {
    Attributes attributes = {{"value", value}};
    if (value == comparison.base) attributes.push_back(Attribute("selected", "selected"));
    return El("option", attributes, words);
  };
  std::vector<Html> options = {option("", "the baseline")};
  bool has_chosen = comparison.base.empty();
  for (const v1::Run& run : comparison.bases) {
    has_chosen |= run.run_id() == comparison.base;
    options.push_back(
        option(run.run_id(),
               Join({Html(absl::StrCat("run ", run.run_id(), ", ", ShortCommit(run.info().commit()),
                                       ", ", DateOf(run.received_unix_ms())))})));
  }
  if (!has_chosen) options.push_back(option(comparison.base, Html(comparison.base)));
  if (options.size() < 2) return "";
  return El(
      "form", {{"class", "filter"}, Action(CompareUrl(context.project, comparison.run, ""))},
      {El("label", {}, {Html("Compare with "), El("select", {{"name", "base"}}, Join(options))}),
       El("button", {{"type", "submit"}}, "Show")});
}

Html RowsTable(const Context& context, const Comparison& comparison, absl::string_view caption,
               const std::vector<const FunctionRow*>& rows) {
  std::vector<Row> table;
  for (const FunctionRow* row : rows) {
    const v1::Finding& finding = reporter::MainFinding(*row);
    Row& out = table.emplace_back();
    out.id = IdOf(finding);
    out.css_class = "walk";
    out.cells = {VerdictBadge(reporter::RowVerdict(*row)),
                 Link(FindingUrl(context.project, comparison.run, comparison.base,
                                 reporter::FindingId(finding)),
                      NameOf(finding)),
                 Html(MetricWords(finding)),
                 Html(ValueWords(finding, finding.before())),
                 Html(ValueWords(finding, finding.after())),
                 Effect(finding),
                 Interval(finding),
                 Html(reporter::HumanShare(row->share)),
                 PlaceOfFinding(context, comparison.report, finding),
                 Html(finding.target())};
  }
  return Table(caption,
               {{"Verdict"},
                {"Function"},
                {"Metric"},
                {"Base", true, "Per execution of the target"},
                {"Head", true, "Per execution of the target"},
                {"Change", true},
                {"Confidence"},
                {"Share", true, "Share of the test’s CPU, or calls, that changed"},
                {"Location"},
                {"Target"}},
               table);
}

Html SidesTable(const Context& context, const v1::Compared& compared) {
  const auto row = [&](absl::string_view name, const v1::Compared::Side& side) {
    return Row{{Html(name),
                side.run_id().empty()
                    ? Html()
                    : Link(RunUrl(context.project, side.run_id()), Html(side.run_id())),
                CommitOf(context.links, side.commit()), Html(side.branch()), Count(side.runs()),
                Count(side.executions()),
                Html(reporter::HumanTime(side.total_seconds(), "seconds")), Html(side.machine())}};
  };
  return Table(
      "Runs that were compared",
      {{"Side"},
       {"Run", true},
       {"Commit"},
       {"Branch"},
       {"Runs", true, "Repetitions of one measurement"},
       {"Executions", true},
       {"CPU time", true, "Of all tests, as measured: the speed of the machine is not taken out"},
       {"Machine"}},
      {row("base", compared.base()), row("head", compared.head())});
}

Html Compared(const Context& context, const Comparison& comparison) {
  const v1::Compared& compared = comparison.report.compared();
  std::vector<Html> not_compared;
  for (const v1::NotCompared& one : compared.not_compared()) {
    not_compared.push_back(El("li", {}, Html(absl::StrCat(one.target(), ": ", one.reason()))));
  }
  return El("section", {},
            {El("h2", {}, "Compared runs"), SidesTable(context, compared),
             Facts({{"Baseline", Html(compared.baseline_reason())},
                    {"Configuration", Html(compared.configuration())},
                    {"Functions", Count(static_cast<double>(compared.functions()))},
                    {"Arcs", Count(static_cast<double>(compared.arcs()))}}),
             not_compared.empty()
                 ? Html()
                 : El("details", {{"open", "open"}},
                      {El("summary", {},
                          Html(absl::StrCat("Not compared: ",
                                            reporter::CountOfNoun(not_compared.size(), "target")))),
                       El("ul", {}, Join(not_compared))})});
}

std::string SentenceCase(std::string words) {
  if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') {
    words[0] = static_cast<char>(words[0] - 'a' + 'A');
  }
  return words;
}

// The net verdict: the most important test that changed, and the number of the others.
Html NetVerdict(const Comparison& comparison, const std::vector<TestSummary>& tests) {
  const Overall overall = OverallOf(comparison.report, tests);
  const auto changed = [](const TestSummary& test) {
    return test.verdict == TestVerdict::kSlower || test.verdict == TestVerdict::kFaster ||
           test.regressions.count + test.improvements.count > 0;
  };
  const auto others = absl::c_count_if(tests, changed) - 1;
  std::string words = others < 0 ? SentenceCase(reporter::Headline(comparison.report))
                                 : reporter::NetVerdict(tests.front());
  if (others > 0) {
    absl::StrAppend(&words, "; ",
                    reporter::CountOfNoun(static_cast<uint64_t>(others), "other test"), " changed");
  }
  return El(
      "p", {{"class", "verdict"}},
      {El("span", {{"class", absl::StrCat("badge large ", overall.kind)}}, Html(overall.words)),
       Html(" "), Html(words)});
}

// What is not a cause, by kind. Each folds.
std::vector<Html> Sections(const Context& context, const Comparison& comparison,
                           const std::vector<const FunctionRow*>& rest) {
  std::vector<Html> sections;
  for (const Section& section : kSections) {
    std::vector<const FunctionRow*> shown;
    absl::c_copy_if(rest, std::back_inserter(shown),
                    [&section](const FunctionRow* row) { return row->kind == section.kind; });
    if (shown.empty()) continue;
    const size_t all = shown.size();
    if (all > kMostRows) shown.resize(kMostRows);
    sections.push_back(
        El("details", {{"class", "section"}},
           {El("summary", {}, {El("h2", {}, Html(absl::StrCat(section.title, " (", all, ")")))}),
            El("p", {{"class", "about"}}, Html(section.about)),
            all > kMostRows ? El("p", {{"class", "about"}},
                                 Html(absl::StrCat("The ", kMostRows,
                                                   " most important are shown; gprofhub report ",
                                                   comparison.run, " --all lists all.")))
                            : Html(),
            RowsTable(context, comparison, section.title, shown)}));
  }
  return sections;
}

Html Notes(const v1::Report& report) {
  const std::vector<std::string> notes = reporter::NotesOf(report, MarkName, kNotes);
  if (notes.empty()) return "";
  std::vector<Html> items;
  for (const std::string& note : notes) items.push_back(El("li", {}, MarkedText(note)));
  return El("ul", {{"class", "notes"}}, Join(items));
}

}  // namespace

std::string ComparisonTitle(const Comparison& comparison) {
  const v1::Compared::Side& head = comparison.report.compared().head();
  if (!comparison.head.pull_request().empty()) {
    const v1::RunInfo& pull = comparison.head;
    return absl::StrCat("#", pull.pull_request(), " ",
                        pull.title().empty() ? head.branch() : pull.title(),
                        pull.author().empty() ? "" : " by ", pull.author());
  }
  return absl::StrCat("Run ", head.run_id(), " of ", head.branch());
}

Html ComparisonView(const Context& context, const Comparison& comparison) {
  const v1::Report& report = comparison.report;
  const v1::Compared& compared = report.compared();
  const std::vector<FunctionRow> rows = reporter::GroupByFunction(report);
  const std::vector<TestSummary> tests = reporter::SummarizeTests(report);
  std::vector<Html> cards;
  std::vector<const FunctionRow*> causes, rest;
  for (const FunctionRow& row : rows) {
    if (row.kind == FindingKind::kCause) causes.push_back(&row);
    if (row.kind == FindingKind::kCause && cards.size() < kCards) {
      cards.push_back(Card(context, comparison, row));
    } else {
      rest.push_back(&row);
    }
  }
  const std::optional<Url> range =
      RangeUrl(context.links, compared.base().commit(), compared.head().commit());
  std::vector<Html> pieces = {
      El("h1", {}, Html(ComparisonTitle(comparison))),
      NetVerdict(comparison, tests),
      SidesLine(context, comparison),
      range.has_value()
          ? El("p", {{"class", "buttons"}}, Link(*range, "Diff of the source", "button"))
          : Html(),
      BasePicker(context, comparison),
      Notes(report),
      TestsTable(context, comparison, tests),
      cards.empty() ? Html()
                    : Join({El("h2", {}, "Causes"), El("ol", {{"class", "cards"}}, Join(cards))}),
      NextSteps(context, comparison, causes)};
  for (Html& section : Sections(context, comparison, rest)) pieces.push_back(std::move(section));
  pieces.push_back(Compared(context, comparison));
  return Join(pieces);
}

}  // namespace gprofhub::page
