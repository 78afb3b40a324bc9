#include "absl/strings/str_cat.h"
#include "page/html.h"
#include "page/views/shell.h"
#include "page/views/views.h"
#include "page/words.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/text.h"
#include "reporter/rendering/cause_words.h"
#include "reporter/rendering/function_rows.h"
#include "reporter/rendering/headline.h"

namespace gprofhub::page {

namespace {

using reporter::FindingKind;
using reporter::FunctionRow;

constexpr size_t kCards = 20;
// Rows of one section.
constexpr size_t kMostRows = 1000;
constexpr size_t kNotes = 20;

struct Section {
  FindingKind kind;
  absl::string_view title;
  absl::string_view about;
};
constexpr Section kSections[] = {
    {FindingKind::kCause, "Further causes", "Changes that began where they are found."},
    {FindingKind::kFollower, "What follows", "Functions that changed because of the causes above."},
    {FindingKind::kTotalTime, "Time with everything called",
     "These functions take more or less time in all."},
    {FindingKind::kMinor, "Small changes", "They began here, and are too small to matter."},
    {FindingKind::kShifted, "What only moved", "The same work, elsewhere or under another name."},
    {FindingKind::kFolded, "Part of a change above",
     "Folded under a toolchain's change or a rewrite."},
    {FindingKind::kChance, "Differs by chance", "No code that changed can be the reason."},
    {FindingKind::kCannotTell, "Cannot tell", "The samples are too few."},
    {FindingKind::kEquivalent, "Shown to be the same", "As far as the samples tell."},
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
    say(Html(absl::StrCat("also in ", row.other_targets.size(), " other targets")));
  }
  return El("li", {{"class", "card walk"}, {"id", IdOf(finding)}, {"tabindex", "-1"}},
            {El("h3", {}, Link(more, MarkedText(words.what))),
             El("p", {{"class", "about"}}, Join(about)), El("p", {}, MarkedText(words.why)),
             AcknowledgedWords(comparison, finding), HistoryOf(comparison, finding),
             El("p", {{"class", "links"}},
                {Link(more, "Evidence"), Html(" · "),
                 Link(FunctionUrl(context.project, finding.function(), finding.target()), "Trend"),
                 Html(" · "),
                 Link(TargetUrl(context.project, comparison.report.compared().head().run_id(),
                                "graph", finding.target())
                          .With("function", finding.function()),
                      "Call graph")})});
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
                {"Of its"},
                {"Before", true, "Per execution of the target"},
                {"After", true, "Per execution of the target"},
                {"Change", true},
                {"How sure"},
                {"Share", true, "Of the test's CPU, or calls, that the change stands for"},
                {"Where"},
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
  return Table("What was compared",
               {{"Side"},
                {"Run", true},
                {"Commit"},
                {"Branch"},
                {"Runs", true, "Put together as repetitions"},
                {"Executions", true},
                {"CPU time", true},
                {"Machine"}},
               {row("base", compared.base()), row("head", compared.head())});
}

Html Links(const Context& context, const Comparison& comparison) {
  const v1::Compared& compared = comparison.report.compared();
  std::vector<Html> links;
  const std::optional<Url> range =
      RangeUrl(context.links, compared.base().commit(), compared.head().commit());
  if (range.has_value()) links.push_back(Link(*range, "The diff of the source", "button"));
  if (!compared.base().run_id().empty() && !compared.targets().empty()) {
    const Url flame =
        TargetUrl(context.project, compared.head().run_id(), "flame", compared.targets(0))
            .With("base", compared.base().run_id());
    links.push_back(Link(flame, "Differential flame graph", "button"));
  }
  return links.empty() ? Html() : El("p", {{"class", "buttons"}}, Join(links));
}

Html Compared(const Context& context, const Comparison& comparison) {
  const v1::Compared& compared = comparison.report.compared();
  const auto list = [](absl::string_view words, const auto& targets) -> Html {
    if (targets.empty()) return "";
    std::vector<Html> items;
    for (const auto& target : targets) items.push_back(El("li", {}, Html(target)));
    return El("details", {},
              {El("summary", {}, Html(absl::StrCat(targets.size(), " ", words))),
               El("ul", {}, Join(items))});
  };
  std::vector<Html> not_compared;
  for (const v1::NotCompared& one : compared.not_compared()) {
    not_compared.push_back(El("li", {}, Html(absl::StrCat(one.target(), ": ", one.reason()))));
  }
  return El(
      "section", {},
      {El("h2", {}, "What was compared"), SidesTable(context, compared),
       Facts({{"Baseline", Html(compared.baseline_reason())},
              {"Configuration", Html(compared.configuration())},
              {"Functions", Count(static_cast<double>(compared.functions()))},
              {"Arcs", Count(static_cast<double>(compared.arcs()))}}),
       list("targets", compared.targets()), list("new targets", compared.new_targets()),
       list("targets that are gone", compared.vanished_targets()),
       list("targets with the same binary", compared.unchanged_targets()),
       not_compared.empty()
           ? Html()
           : El("details", {{"open", "open"}},
                {El("summary", {},
                    Html(absl::StrCat(not_compared.size(), " targets that were not compared"))),
                 El("ul", {}, Join(not_compared))})});
}

std::string SentenceCase(std::string words) {
  if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') {
    words[0] = static_cast<char>(words[0] - 'a' + 'A');
  }
  return words;
}

}  // namespace

Html ComparisonView(const Context& context, const Comparison& comparison) {
  const v1::Report& report = comparison.report;
  const std::vector<FunctionRow> rows = reporter::GroupByFunction(report);
  const Overall overall = OverallOf(rows);
  std::vector<Html> pieces = {
      El("h1", {},
         Html(absl::StrCat("What changed",
                           report.compared().head().branch().empty()
                               ? ""
                               : absl::StrCat(" in ", report.compared().head().branch())))),
      El("p", {{"class", "verdict"}},
         {El("span", {{"class", absl::StrCat("badge large ", overall.kind)}}, Html(overall.words)),
          Html(" "), Html(SentenceCase(reporter::Headline(report)))}),
      Links(context, comparison)};
  const std::vector<std::string> notes = reporter::NotesOf(report, MarkName, kNotes);
  if (!notes.empty()) {
    std::vector<Html> items;
    for (const std::string& note : notes) items.push_back(El("li", {}, MarkedText(note)));
    pieces.push_back(El("ul", {{"class", "notes"}}, Join(items)));
  }
  std::vector<Html> cards;
  std::vector<const FunctionRow*> rest;
  for (const FunctionRow& row : rows) {
    if (row.kind == FindingKind::kCause && cards.size() < kCards) {
      cards.push_back(Card(context, comparison, row));
    } else {
      rest.push_back(&row);
    }
  }
  if (!cards.empty()) {
    pieces.push_back(El("h2", {}, "Causes"));
    pieces.push_back(El("ol", {{"class", "cards"}}, Join(cards)));
  }
  for (const Section& section : kSections) {
    std::vector<const FunctionRow*> shown;
    for (const FunctionRow* row : rest) {
      if (row->kind == section.kind) shown.push_back(row);
    }
    if (shown.empty()) continue;
    const size_t all = shown.size();
    if (all > kMostRows) shown.resize(kMostRows);
    pieces.push_back(
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
  pieces.push_back(Compared(context, comparison));
  return Join(pieces);
}

}  // namespace gprofhub::page
