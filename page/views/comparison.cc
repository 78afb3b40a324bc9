#include "page/views/comparison.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "page/charts/history.h"
#include "page/html/table.h"
#include "page/views/addresses.h"
#include "page/words/words.h"
#include "reporter/findings/finding_id.h"
#include "reporter/gate/gate.h"
#include "reporter/rendering/cause_words.h"
#include "reporter/rendering/function_rows.h"
#include "reporter/rendering/headline.h"
#include "reporter/rendering/notes.h"
#include "reporter/text/numbers.h"

namespace gprofhub::page {
namespace {

using reporter::FindingKind;
using reporter::FunctionRow;

constexpr size_t kCards = 20;
constexpr size_t kNotes = 20;
constexpr size_t kHistoryRuns = 50;

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

Html PlaceOfFinding(const Context& context, const v1::Report& report, const v1::Finding& finding) {
  const bool is_gone = finding.verdict() == v1::Finding::VANISHED || finding.after() == 0;
  const v1::Compared::Side& side = is_gone ? report.compared().base() : report.compared().head();
  return PlaceOf(context.links, side.commit(), finding.site().file(), finding.site().line());
}

Html Interval(const v1::Finding& finding) {
  if (finding.exact()) return "exact";
  if (finding.one_run()) return "one run each";
  if (finding.interval_low_percent() == 0 && finding.interval_high_percent() == 0) return "";
  return absl::StrCat("95%: ", reporter::HumanEffect(finding.interval_low_percent()), " to ",
                      reporter::HumanEffect(finding.interval_high_percent()));
}

const store::AcknowledgementRecord* AcknowledgedBy(const Comparison& comparison,
                                                   const v1::Finding& finding) {
  for (const store::AcknowledgementRecord& record : comparison.acknowledgements) {
    if (reporter::Covers(record, finding.function(), finding.function_display(),
                         finding.target())) {
      return &record;
    }
  }
  return nullptr;
}

Html AcknowledgedWords(const store::AcknowledgementRecord* record) {
  if (record == nullptr) return "";
  return El(
      "p", {{"class", "note"}},
      Html(absl::StrCat("✓ ", record->author.empty() ? "Somebody" : record->author,
                        record->not_a_regression ? " says it is no regression: " : " accepted it: ",
                        record->reason)));
}

std::vector<HistoryDot> DotsOf(const v1::GetTrendResponse& trend, const v1::Compared& compared) {
  std::vector<HistoryDot> dots;
  for (const v1::TrendPoint& point : trend.points()) {
    HistoryDot dot;
    dot.value = point.calls();
    if (point.commit() == compared.head().commit()) dot.mark = HistoryDot::Mark::kHead;
    if (point.commit() == compared.base().commit()) dot.mark = HistoryDot::Mark::kBase;
    dot.begins_level = point.calls_change() != v1::NO_CHANGE;
    dot.hint = absl::StrCat("run ", point.run_id(), ", ", ShortCommit(point.commit()), ": ",
                            reporter::HumanCount(point.calls()), " calls");
    dots.push_back(std::move(dot));
  }
  if (dots.size() > kHistoryRuns) dots.erase(dots.begin(), dots.end() - kHistoryRuns);
  return dots;
}

Html HistoryOf(const Comparison& comparison, const v1::Finding& finding) {
  const auto trend = comparison.trends.find({finding.function(), finding.target()});
  if (trend == comparison.trends.end() || trend->second.points_size() < 2) return "";
  const Html dots = HistoryDots(
      absl::StrCat("Calls per execution in the last ",
                   std::min<size_t>(kHistoryRuns, trend->second.points_size()), " runs"),
      DotsOf(trend->second, comparison.report.compared()));
  if (dots.empty()) return "";
  return El(
      "figure", {},
      {dots, El("figcaption", {},
                {Html("Calls by run: "), El("span", {{"class", "key base"}}, "○ base"), Html(" "),
                 El("span", {{"class", "key head"}}, "● head"), Html(", oldest first")})});
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
  if (reporter::InDiff(row)) say(El("span", {{"class", "badge neutral"}}, "in the diff"));
  say(Html(finding.target()));
  if (row.follows > 0) say(Html(absl::StrCat(row.follows, " functions follow")));
  if (!row.other_targets.empty()) {
    say(Html(absl::StrCat("also in ", row.other_targets.size(), " other targets")));
  }
  return El("li", {{"class", "card walk"}, {"id", IdOf(finding)}, {"tabindex", "-1"}},
            {El("h3", {}, Link(more, MarkedText(words.what))),
             El("p", {{"class", "about"}}, Join(about)), El("p", {}, MarkedText(words.why)),
             AcknowledgedWords(AcknowledgedBy(comparison, finding)), HistoryOf(comparison, finding),
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
                 Html(MetricWords(finding.metric())),
                 Html(ValueWords(finding.metric(), finding.before())),
                 Html(ValueWords(finding.metric(), finding.after())),
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

// The overall verdict, as a word with a colour and a sign.
Html Overall(const std::vector<FunctionRow>& rows) {
  bool worse = false, better = false;
  for (const FunctionRow& row : rows) {
    if (row.kind != FindingKind::kCause) continue;
    const v1::Finding::Verdict verdict = reporter::RowVerdict(row);
    worse |= verdict == v1::Finding::REGRESSED || verdict == v1::Finding::NEW;
    better |= verdict == v1::Finding::IMPROVED || verdict == v1::Finding::VANISHED;
  }
  if (worse) return El("span", {{"class", "badge large worse"}}, "▲ costs more");
  if (better) return El("span", {{"class", "badge large better"}}, "▼ costs less");
  return El("span", {{"class", "badge large neutral"}}, "＝ nothing that matters");
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
  std::vector<Html> pieces = {
      El("h1", {},
         Html(absl::StrCat("What changed",
                           report.compared().head().branch().empty()
                               ? ""
                               : absl::StrCat(" in ", report.compared().head().branch())))),
      El("p", {{"class", "verdict"}},
         {Overall(rows), Html(" "), Html(SentenceCase(reporter::Headline(report)))}),
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
    pieces.push_back(
        El("details", {{"class", "section"}},
           {El("summary", {},
               {El("h2", {}, Html(absl::StrCat(section.title, " (", shown.size(), ")")))}),
            El("p", {{"class", "about"}}, Html(section.about)),
            RowsTable(context, comparison, section.title, shown)}));
  }
  pieces.push_back(Compared(context, comparison));
  return Join(pieces);
}

std::optional<SideEntry> SideEntryOf(const profile::ComputedProfile& profile,
                                     absl::string_view function) {
  const std::optional<uint32_t> row = FindFunction(profile, function);
  if (!row.has_value()) return std::nullopt;
  SideEntry side;
  side.entry = EntryOf(profile, *row);
  const auto take = [&](const std::vector<Neighbour>& from, std::map<std::string, Neighbour>& to) {
    for (const Neighbour& neighbour : from) {
      const std::string name(page::NameOf(profile, neighbour.function));
      to.emplace(name, neighbour);
      side.displays.emplace(name, DisplayNameOf(profile, neighbour.function));
    }
  };
  take(side.entry.callers, side.callers);
  take(side.entry.callees, side.callees);
  return side;
}

namespace {

// Callers, or callees, of both sides.
Html NeighboursTable(const Context& context, absl::string_view caption,
                     const v1::Compared& compared, const FindingEvidence& evidence,
                     std::map<std::string, Neighbour> SideEntry::*which) {
  std::map<std::string, std::pair<const Neighbour*, const Neighbour*>> both;
  std::map<std::string, std::string> displays;
  if (evidence.before.has_value()) {
    for (const auto& [name, one] : (*evidence.before).*which) both[name].first = &one;
    displays.insert(evidence.before->displays.begin(), evidence.before->displays.end());
  }
  if (evidence.after.has_value()) {
    for (const auto& [name, one] : (*evidence.after).*which) both[name].second = &one;
    displays.insert(evidence.after->displays.begin(), evidence.after->displays.end());
  }
  if (both.empty()) return "";
  std::vector<std::pair<double, Row>> rows;
  for (const auto& [name, sides] : both) {
    const double before = sides.first == nullptr ? 0 : sides.first->calls;
    const double after = sides.second == nullptr ? 0 : sides.second->calls;
    const Neighbour& site = sides.second != nullptr ? *sides.second : *sides.first;
    const std::string& commit =
        sides.second != nullptr ? compared.head().commit() : compared.base().commit();
    const std::string change = before == after ? "="
                               : before == 0   ? "new"
                               : after == 0
                                   ? "gone"
                                   : reporter::HumanEffect((after - before) / before * 100);
    const std::string run =
        sides.second != nullptr ? compared.head().run_id() : compared.base().run_id();
    Row row;
    row.css_class = before == after ? "walk" : "walk changed";
    row.cells = {Link(TargetUrl(context.project, run, "graph", evidence.finding.target())
                          .With("function", name),
                      FunctionCode(displays[name])),
                 Count(before), Count(after), Html(change),
                 PlaceOf(context.links, commit, site.site_file, site.site_line)};
    rows.emplace_back(-std::abs(after - before), std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Row> sorted;
  for (auto& [rank, row] : rows) sorted.push_back(std::move(row));
  return Table(caption,
               {{"Function"},
                {"Calls before", true},
                {"Calls after", true},
                {"Change", true},
                {"Call site"}},
               sorted);
}

Html PerCall(double calls) {
  if (calls == 0) return "";
  return calls >= 1000 ? Html(absl::StrCat(reporter::HumanCount(std::round(calls)), "×"))
                       : Html(absl::StrFormat("%.3g×", calls));
}

Html PathTable(const Context& context, const v1::Compared::Side& compared,
               const v1::Explanation::Side& side, absl::string_view caption) {
  if (side.path().empty()) return "";
  std::vector<Row> rows;
  for (const v1::Explanation::Step& step : side.path()) {
    Row row;
    row.css_class = step.changed() ? "changed" : "";
    row.cells = {FunctionCode(step.function_display()), Count(step.calls()),
                 PerCall(step.per_call()), Html(reporter::HumanShare(step.share())),
                 PlaceOf(context.links, compared.commit(), step.site().file(), step.site().line())};
    rows.push_back(std::move(row));
  }
  return Table(caption,
               {{"Function, outermost first"},
                {"Calls", true},
                {"Per call", true, "Calls for each call of the function above it"},
                {"Share", true, "Of the test's CPU, with everything called"},
                {"Called at"}},
               rows);
}

Html AcknowledgeForm(const Context& context, const Comparison& comparison,
                     const FindingEvidence& evidence) {
  if (!context.may_acknowledge) return "";
  const v1::Finding& finding = evidence.finding;
  const auto hidden = [](absl::string_view name, const std::string& value) {
    return El("input", {{"type", "hidden"}, {"name", name}, {"value", value}});
  };
  return El("form",
            {{"method", "post"}, {"class", "acknowledge"}, Action(AcknowledgeUrl(context.project))},
            {FormGuard(context), hidden("function", finding.function()),
             hidden("target", finding.target()), hidden("pull_request", evidence.pull_request),
             hidden("run", comparison.run), hidden("base", comparison.base),
             hidden("finding", reporter::FindingId(finding)), El("h2", {}, "Is it all right?"),
             El("label", {},
                {Html("Why "), El("input", {{"name", "reason"},
                                            {"required", "required"},
                                            {"maxlength", "1000"},
                                            {"size", "50"}})}),
             El("fieldset", {},
                {El("legend", {}, "Which is it?"),
                 El("label", {},
                    {El("input", {{"type", "radio"},
                                  {"name", "kind"},
                                  {"value", "accepted"},
                                  {"checked", "checked"}}),
                     Html(" The change is accepted")}),
                 El("label", {},
                    {El("input", {{"type", "radio"}, {"name", "kind"}, {"value", "false-alarm"}}),
                     Html(" It is no regression: a false alarm")})}),
             El("button", {{"type", "submit"}}, "Acknowledge")});
}

Html SideFacts(const v1::Finding& finding) {
  const v1::Finding::Metric metric = finding.metric();
  return Facts({{"Before", Html(ValueWords(metric, finding.before()))},
                {"After", Html(ValueWords(metric, finding.after()))},
                {"Change", Effect(finding)},
                {"How sure", Interval(finding)},
                {"Share of the test's CPU", Html(reporter::HumanShare(finding.weight()))},
                {"The change stands for", Html(reporter::HumanShare(finding.impact()))},
                {"Target", Html(finding.target())}});
}

}  // namespace

Html FindingView(const Context& context, const Comparison& comparison,
                 const FindingEvidence& evidence) {
  const v1::Finding& finding = evidence.finding;
  const v1::Compared& compared = comparison.report.compared();
  const FunctionRow row = reporter::RowOfFinding(finding);
  const reporter::CauseWords words = reporter::WordsOfCause(row, MarkName);
  const Html place = PlaceOfFinding(context, comparison.report, finding);
  std::vector<Html> follows;
  for (const std::string& name : finding.follows()) {
    follows.push_back(El(
        "li", {}, Link(FunctionUrl(context.project, name, finding.target()), FunctionCode(name))));
  }
  const std::optional<Url> range =
      RangeUrl(context.links, compared.base().commit(), compared.head().commit());
  return Join({
      El("h1", {{"class", "finding"}}, MarkedText(words.what)),
      El("p", {{"class", "about"}},
         {VerdictBadge(finding.verdict()), Html(" "), Html(words.share)}),
      El("p", {{"class", "lead"}}, MarkedText(words.why)),
      AcknowledgedWords(AcknowledgedBy(comparison, finding)),
      place.empty() ? Html() : El("p", {{"class", "where"}}, {Html("Where: "), place}),
      SideFacts(finding),
      HistoryOf(comparison, finding),
      El("p", {{"class", "buttons"}},
         {Link(FunctionUrl(context.project, finding.function(), finding.target()),
               "Trend of the function", "button"),
          Link(TargetUrl(context.project, compared.head().run_id(), "graph", finding.target())
                   .With("function", finding.function()),
               "Call graph", "button"),
          range.has_value() ? Link(*range, "The diff of the source", "button") : Html()}),
      El("h2", {}, "Who calls it, and whom it calls"),
      NeighboursTable(context, "Callers before and after", compared, evidence, &SideEntry::callers),
      NeighboursTable(context, "Callees before and after", compared, evidence, &SideEntry::callees),
      evidence.explanation.head().path().empty() && evidence.explanation.base().path().empty()
          ? Html()
          : El("h2", {}, "How it is reached"),
      PathTable(context, compared.base(), evidence.explanation.base(), "The path before"),
      PathTable(context, compared.head(), evidence.explanation.head(), "The path after"),
      follows.empty()
          ? Html()
          : El("details", {},
               {El("summary", {}, Html(absl::StrCat(follows.size(), " functions follow from it"))),
                El("ul", {}, Join(follows))}),
      AcknowledgeForm(context, comparison, evidence),
      El("p", {{"class", "about"}},
         {Html("In a terminal: "),
          El("code", {},
             Html(absl::StrCat("gprofhub explain ", reporter::FindingId(finding), " ",
                               comparison.run)))}),
  });
}

}  // namespace gprofhub::page
