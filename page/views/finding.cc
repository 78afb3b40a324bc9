#include "page/views/finding.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "page/html.h"
#include "page/views/finding_parts.h"
#include "page/views/shell.h"
#include "page/words.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/text.h"
#include "reporter/rendering/cause_words.h"
#include "reporter/rendering/function_rows.h"

namespace gprofhub::page {

namespace {

// Callers or callees of both sides.
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
    // A caller of a quantity is counted in the quantity's unit; a callee in its own.
    const std::string& counted = which == &SideEntry::callers ? evidence.finding.function() : name;
    Row row;
    row.css_class = before == after ? "walk" : "walk changed";
    row.cells = {Link(TargetUrl(context.project, run, "graph", evidence.finding.target())
                          .With("function", name),
                      FunctionCode(displays[name])),
                 CountOf(counted, before), CountOf(counted, after), Html(change),
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
    row.cells = {FunctionCode(step.function_display()), CountOf(step.function(), step.calls()),
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
  return El(
      "form",
      {{"method", "post"}, {"class", "acknowledge"}, Action(AcknowledgeUrl(context.project))},
      {FormGuard(context), hidden("function", finding.function()),
       hidden("target", finding.target()), hidden("pull_request", evidence.pull_request),
       hidden("run", comparison.run), hidden("base", comparison.base),
       hidden("finding", reporter::FindingId(finding)), El("h2", {}, "Is it all right?"),
       context.user.empty() ? El("p", {},
                                 El("label", {},
                                    {Html("Your name "), El("input", {{"name", "author"},
                                                                      {"required", "required"},
                                                                      {"maxlength", "100"},
                                                                      {"autocomplete", "name"}})}))
                            : Html(),
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

Html ShareIfAny(double share) { return share > 0 ? Html(reporter::HumanShare(share)) : Html(); }

Html SideFacts(const v1::Finding& finding) {
  return Facts({{"Before", Html(ValueWords(finding, finding.before()))},
                {"After", Html(ValueWords(finding, finding.after()))},
                {"Change", Effect(finding)},
                {"How sure", Interval(finding)},
                {"Share of the test's CPU", Html(reporter::HumanShare(finding.weight()))},
                {"The change stands for", Html(reporter::HumanShare(finding.impact()))},
                {"Of the bytes that the test allocates", ShareIfAny(finding.share_of_bytes())},
                {"Of its calls that wait", ShareIfAny(finding.share_of_waits())},
                {"Target", Html(finding.target())}});
}

}  // namespace

std::optional<SideEntry> SideEntryOf(const profile::ComputedProfile& profile,
                                     const v1::Finding& finding) {
  const std::optional<uint32_t> row = FindFunction(profile, finding.function());
  if (!row.has_value()) return std::nullopt;
  SideEntry side;
  // The function to blame is the caller that changed its calls, not the callee.
  side.blamed =
      FunctionLinesOf(profile, finding.caller().empty() ? finding.function() : finding.caller());
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

Html FindingView(const Context& context, const Comparison& comparison,
                 const FindingEvidence& evidence) {
  const v1::Finding& finding = evidence.finding;
  const v1::Compared& compared = comparison.report.compared();
  const reporter::FunctionRow row = reporter::RowOfFinding(finding);
  const reporter::CauseWords words = reporter::WordsOfCause(row, MarkName);
  const Html place = PlaceOfFinding(context, comparison.report, finding);
  std::vector<Html> follows;
  for (const std::string& name : finding.follows()) {
    follows.push_back(El(
        "li", {}, Link(FunctionUrl(context.project, name, finding.target()), FunctionCode(name))));
  }
  const FindingDiff& diff = evidence.diff;
  const std::optional<Url> range =
      RangeUrlAt(context.links, compared.base().commit(), compared.head().commit(), diff.file,
                 diff.is_head ? diff.line : 0);
  return Join({
      El("h1", {{"class", "finding"}}, MarkedText(words.what)),
      El("p", {{"class", "about"}},
         {VerdictBadge(finding.verdict()), Html(" "), Html(words.share)}),
      El("p", {{"class", "lead"}}, MarkedText(words.why)),
      AcknowledgedWords(comparison, finding),
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
      FindingDiffView(context, compared, finding, diff),
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
               {El("summary", {}, FollowersWords(follows.size())), El("ul", {}, Join(follows))}),
      AcknowledgeForm(context, comparison, evidence),
      El("p", {{"class", "about"}},
         {Html("In a terminal: "),
          El("code", {},
             Html(absl::StrCat("gprofhub explain ", reporter::FindingId(finding), " ",
                               comparison.run)))}),
  });
}

}  // namespace gprofhub::page
