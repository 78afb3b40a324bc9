#include "page/views/finding.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "page/html.h"
#include "page/views/finding_parts.h"
#include "page/views/shell.h"
#include "page/words.h"
#include "profile/demangle.h"
#include "profile/names.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/function_rows.h"
#include "reporter/findings/text.h"
#include "reporter/rendering/cause_words.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::page {

namespace {

// A side, and the profile of the finding's target on it. Links need the profile.
struct FindingSide {
  const v1::Compared::Side& compared;
  const std::optional<SideEntry>& entry;
};

FindingSide BaseOf(const v1::Compared& compared, const FindingEvidence& evidence) {
  return {compared.base(), evidence.before};
}
FindingSide HeadOf(const v1::Compared& compared, const FindingEvidence& evidence) {
  return {compared.head(), evidence.after};
}

Url GraphUrlOf(const Context& context, const FindingSide& side, const std::string& target,
               absl::string_view function) {
  return TargetUrl(context.project, side.entry->run, "graph", target).With("function", function);
}

// The function, linked to its call graph on the side.
Html GraphLink(const Context& context, const FindingSide& side, const std::string& target,
               const std::string& function) {
  Html name = FunctionCode(profile::Demangle(function));
  if (!side.entry.has_value() || function == profile::kSpontaneousName) return name;
  return Link(GraphUrlOf(context, side, target, function), name);
}

// Callers or callees of both sides.
Html NeighboursTable(const Context& context, absl::string_view caption,
                     const v1::Compared& compared, const FindingEvidence& evidence,
                     std::map<std::string, Neighbour> SideEntry::*which) {
  std::map<std::string, std::pair<const Neighbour*, const Neighbour*>> both;
  if (evidence.before.has_value()) {
    for (const auto& [name, one] : (*evidence.before).*which) both[name].first = &one;
  }
  if (evidence.after.has_value()) {
    for (const auto& [name, one] : (*evidence.after).*which) both[name].second = &one;
  }
  if (both.empty()) return "";
  const std::string& target = evidence.finding.target();
  std::vector<std::pair<double, Row>> rows;
  for (const auto& [name, sides] : both) {
    const double before = sides.first == nullptr ? 0 : sides.first->calls;
    const double after = sides.second == nullptr ? 0 : sides.second->calls;
    const bool is_gone = sides.second == nullptr;
    const Neighbour& site = is_gone ? *sides.first : *sides.second;
    const FindingSide side = is_gone ? BaseOf(compared, evidence) : HeadOf(compared, evidence);
    const std::string change = before == after ? "="
                               : before == 0   ? "new"
                               : after == 0
                                   ? "gone"
                                   : reporter::HumanEffect((after - before) / before * 100);
    // A caller of a quantity is counted in the quantity's unit; a callee in its own.
    const std::string& counted = which == &SideEntry::callers ? evidence.finding.function() : name;
    Row row;
    row.css_class = before == after ? "walk" : "walk changed";
    row.cells = {GraphLink(context, side, target, name), CountOf(counted, before),
                 CountOf(counted, after), Html(change),
                 PlaceOf(context.links, side.compared.commit(), site.site_file, site.site_line)};
    rows.emplace_back(-std::abs(after - before), std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Row> sorted;
  for (auto& [rank, row] : rows) sorted.push_back(std::move(row));
  return Table(
      caption,
      {{"Function"}, {"Calls, base", true}, {"Calls, head", true}, {"Change", true}, {"Call site"}},
      sorted);
}

Html NeighboursTables(const Context& context, const v1::Compared& compared,
                      const FindingEvidence& evidence) {
  const Html callers = NeighboursTable(context, "Callers", compared, evidence, &SideEntry::callers);
  const Html callees = NeighboursTable(context, "Callees", compared, evidence, &SideEntry::callees);
  if (callers.empty() && callees.empty()) return "";
  return Join({El("h2", {}, "Callers and callees"), callers, callees});
}

Html PerCall(double calls) { return calls == 0 ? Html("") : Html(reporter::RateInColumn(calls)); }

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

Html PathTables(const Context& context, const v1::Compared& compared,
                const v1::Explanation& explanation) {
  const Html before = PathTable(context, compared.base(), explanation.base(), "Path in the base");
  const Html after = PathTable(context, compared.head(), explanation.head(), "Path in the head");
  if (before.empty() && after.empty()) return "";
  return Join({El("h2", {}, "Path of most calls"), before, after});
}

// Longer lists of members end with the number of the others.
constexpr size_t kMostMembers = 500;

// A replaced, removed or new function of a rewritten component, or the number of others.
Html RewriteTable(const Context& context, const v1::Compared& compared,
                  const FindingEvidence& evidence) {
  const v1::Rewrite& rewrite = evidence.finding.rewrite();
  const std::string& target = evidence.finding.target();
  std::vector<Row> rows;
  const auto add = [&](absl::string_view change, const std::string& before,
                       const std::string& after) {
    if (rows.size() >= kMostMembers) return;
    const auto cell = [&](const FindingSide& side, const std::string& name) {
      return name.empty() ? Html() : GraphLink(context, side, target, name);
    };
    rows.push_back({{Html(change), cell(BaseOf(compared, evidence), before),
                     cell(HeadOf(compared, evidence), after)}});
  };
  for (const v1::Rewrite::Pair& pair : rewrite.pairs()) {
    add("replaced", pair.before(), pair.after());
  }
  for (const std::string& name : rewrite.gone()) add("gone", name, "");
  for (const std::string& name : rewrite.came()) add("new", "", name);
  const size_t all = static_cast<size_t>(rewrite.pairs_size()) +
                     static_cast<size_t>(rewrite.gone_size() + rewrite.came_size());
  return Join(
      {El("h2", {}, Html(absl::StrCat("Functions of ", rewrite.component()))),
       rows.empty() ? Html()
                    : Table("Functions that were replaced, are gone or new",
                            {{"Change"}, {"Base"}, {"Head"}}, rows),
       all > rows.size()
           ? El("p", {{"class", "about"}},
                Html(absl::StrCat("And ", reporter::CountOfNoun(all - rows.size(), "function"),
                                  ".")))
           : Html(),
       rewrite.stayed() == 0
           ? Html()
           : El("p", {{"class", "about"}},
                Html(absl::StrCat("On both sides: ",
                                  reporter::CountOfNoun(rewrite.stayed(), "function"), ".")))});
}

std::string OfAll(uint32_t count, uint32_t all, absl::string_view noun) {
  return absl::StrCat(count, " of ", reporter::CountOfNoun(all, noun));
}

Html ToolchainFacts(const v1::ToolchainChange& toolchain) {
  return Join({El("h2", {}, "Toolchain"),
               Facts({{"Base", Html(toolchain.before())},
                      {"Head", Html(toolchain.after())},
                      {"Files", Html(OfAll(toolchain.files(), toolchain.all_files(), "file"))},
                      {"Functions", Html(OfAll(toolchain.functions(), toolchain.all_functions(),
                                               "function"))}})});
}

// Links to the findings, with their changes.
Html FindingsList(const Context& context, const Comparison& comparison, absl::string_view summary,
                  const std::vector<const v1::Finding*>& findings) {
  if (findings.empty()) return "";
  std::vector<Html> items;
  for (const v1::Finding* finding : findings) {
    if (items.size() == kMostMembers) break;
    items.push_back(
        El("li", {},
           {Link(FindingUrl(context.project, comparison.run, comparison.base,
                            reporter::FindingId(*finding)),
                 FunctionCode(finding->function_display().empty() ? finding->function()
                                                                  : finding->function_display())),
            Html(" "), Html(MetricWords(*finding)), Html(" "), Effect(*finding)}));
  }
  return El("details", {},
            {El("summary", {}, Html(absl::StrCat(summary, " (", findings.size(), ")"))),
             El("ul", {}, Join(items))});
}

// Findings of the same target about one of these functions; the first of each function.
template <typename Names>
std::vector<const v1::Finding*> FindingsAbout(const v1::Report& report, const std::string& target,
                                              const Names& names) {
  std::set<std::string> wanted(names.begin(), names.end());
  std::vector<const v1::Finding*> found;
  for (const v1::Finding& finding : report.findings()) {
    if (finding.target() == target && wanted.erase(finding.function()) > 0) {
      found.push_back(&finding);
    }
  }
  return found;
}

// Findings that this one causes, includes or is included in.
Html RelatedFindings(const Context& context, const Comparison& comparison,
                     const v1::Finding& finding) {
  const v1::Report& report = comparison.report;
  std::vector<const v1::Finding*> folded, groups, causes;
  for (const v1::Finding& other : report.findings()) {
    if (other.target() != finding.target()) continue;
    const bool is_group = reporter::IsGroup(other);
    if (is_group && other.function() == finding.folded_under()) groups.push_back(&other);
    if (reporter::IsGroup(finding) && other.folded_under() == finding.function()) {
      folded.push_back(&other);
    }
    if (absl::c_linear_search(other.follows(), finding.function())) causes.push_back(&other);
  }
  const auto list = [&](absl::string_view summary,
                        const std::vector<const v1::Finding*>& findings) {
    return FindingsList(context, comparison, summary, findings);
  };
  return Join({list("Part of", groups), list("Side effect of", causes),
               list("Included changes", folded),
               list("Side effects", FindingsAbout(report, finding.target(), finding.follows())),
               list("Changes of the source",
                    FindingsAbout(report, finding.target(), finding.toolchain().beside()))});
}

// Trend and call graph, where there are some.
Html FunctionButtons(const Context& context, const Comparison& comparison,
                     const FindingEvidence& evidence) {
  const v1::Finding& finding = evidence.finding;
  const v1::Compared& compared = comparison.report.compared();
  std::vector<Html> buttons;
  if (comparison.trends.contains({finding.function(), finding.target()})) {
    buttons.push_back(Link(FunctionUrl(context.project, finding.function(), finding.target()),
                           "Trend of the function", "button"));
  }
  const bool is_in_head = evidence.after.has_value() && evidence.after->has_function;
  const FindingSide side = is_in_head ? HeadOf(compared, evidence) : BaseOf(compared, evidence);
  if (side.entry.has_value() && side.entry->has_function) {
    buttons.push_back(Link(GraphUrlOf(context, side, finding.target(), side.entry->name),
                           is_in_head ? "Call graph" : "Call graph of the base run", "button"));
  }
  const FindingDiff& diff = evidence.diff;
  const std::optional<Url> range =
      RangeUrlAt(context.links, compared.base().commit(), compared.head().commit(), diff.file,
                 diff.is_head ? diff.line : 0);
  if (range.has_value()) buttons.push_back(Link(*range, "Diff of the source", "button"));
  return buttons.empty() ? Html() : El("p", {{"class", "buttons"}}, Join(buttons));
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
      {{"method", "post"},
       {"class", "acknowledge"},
       {"id", "accept"},
       Action(AcknowledgeUrl(context.project))},
      {FormGuard(context), hidden("function", finding.function()),
       hidden("target", finding.target()), hidden("pull_request", evidence.pull_request),
       hidden("run", comparison.run), hidden("base", comparison.base),
       hidden("finding", reporter::FindingId(finding)), El("h2", {}, "Accept this change"),
       context.user.empty() ? El("p", {},
                                 El("label", {},
                                    {Html("Your name "), El("input", {{"name", "author"},
                                                                      {"required", "required"},
                                                                      {"maxlength", "100"},
                                                                      {"autocomplete", "name"}})}))
                            : Html(),
       El("label", {},
          {Html("Reason "), El("input", {{"name", "reason"},
                                         {"required", "required"},
                                         {"maxlength", "1000"},
                                         {"size", "50"}})}),
       El("fieldset", {},
          {El("legend", {}, "Kind"),
           El("label", {},
              {El("input", {{"type", "radio"},
                            {"name", "kind"},
                            {"value", "accepted"},
                            {"checked", "checked"}}),
               Html(" Accepted: the change is intended")}),
           El("label", {},
              {El("input", {{"type", "radio"}, {"name", "kind"}, {"value", "false-alarm"}}),
               Html(" False alarm: not a regression")})}),
       El("button", {{"type", "submit"}}, "Accept")});
}

Html ShareIfAny(double share) { return share > 0 ? Html(reporter::HumanShare(share)) : Html(); }

Html SideFacts(const v1::Finding& finding) {
  return Facts({{"Base", Html(ValueWords(finding, finding.before()))},
                {"Head", Html(ValueWords(finding, finding.after()))},
                {"Change", Effect(finding)},
                {"Confidence", Interval(finding)},
                {"Share of the test’s CPU", ShareIfAny(finding.weight())},
                {"Share of the allocated bytes", ShareIfAny(finding.share_of_bytes())},
                {"Share of the waiting calls", ShareIfAny(finding.share_of_waits())},
                {"Target", Html(finding.target())}});
}

// The change in words, as `gprofhub explain` has them.
reporter::CauseWords WordsOf(const v1::Finding& finding) {
  const reporter::FunctionRow row = reporter::RowOfFinding(finding);
  if (row.kind == reporter::FindingKind::kCause || row.kind == reporter::FindingKind::kMinor) {
    return reporter::WordsOfCause(row, MarkName);
  }
  const std::string& display = finding.function_display();
  return {absl::StrCat(MarkName(display.empty() ? finding.function() : display), ": ",
                       reporter::DescribeRow(row, MarkName)),
          reporter::DescribeEffect(row), ""};
}

}  // namespace

SideEntry SideEntryOf(const std::string& run, const profile::ComputedProfile& profile,
                      const v1::Finding& finding) {
  SideEntry side;
  side.run = run;
  std::vector<uint32_t> rows = FindRows(profile, finding.function());
  if (rows.empty() && finding.shift().kind() == v1::Shift::RENAMED) {
    for (const std::string& name : finding.shift().with()) rows = FindRows(profile, name);
  }
  // The function to blame is the caller that changed its calls, not the callee.
  side.blamed =
      FunctionLinesOf(profile, finding.caller().empty() ? finding.function() : finding.caller());
  if (rows.empty()) return side;
  side.has_function = true;
  side.name = std::string(page::NameOf(profile, rows.front()));
  const auto take = [&](const std::vector<Neighbour>& from, std::map<std::string, Neighbour>& to) {
    for (const Neighbour& neighbour : from) {
      const auto [entry, is_new] =
          to.emplace(std::string(profile::WithoutCloneSuffixes(
                         page::NameOf(profile, neighbour.function), profile::CloneKinds::kAll)),
                     neighbour);
      if (!is_new) entry->second.calls += neighbour.calls;
    }
  };
  const Neighbours neighbours = NeighboursOf(profile, rows);
  take(neighbours.callers, side.callers);
  take(neighbours.callees, side.callees);
  return side;
}

Html FindingView(const Context& context, const Comparison& comparison,
                 const FindingEvidence& evidence) {
  const v1::Finding& finding = evidence.finding;
  const v1::Compared& compared = comparison.report.compared();
  const reporter::CauseWords words = WordsOf(finding);
  const Html place = PlaceOfFinding(context, comparison.report, finding);
  return Join({
      El("h1", {{"class", "finding"}}, MarkedText(words.what)),
      El("p", {{"class", "about"}},
         {VerdictBadge(finding.verdict()), Html(" "), Html(words.share)}),
      words.why.empty() ? Html() : El("p", {{"class", "lead"}}, MarkedText(words.why)),
      AcknowledgedWords(comparison, finding),
      place.empty() ? Html() : El("p", {{"class", "where"}}, {Html("Where: "), place}),
      SideFacts(finding),
      HistoryOf(comparison, finding),
      FunctionButtons(context, comparison, evidence),
      FindingDiffView(context, compared, finding, evidence.diff),
      finding.has_toolchain() ? ToolchainFacts(finding.toolchain()) : Html(),
      finding.has_rewrite() ? RewriteTable(context, compared, evidence) : Html(),
      NeighboursTables(context, compared, evidence),
      PathTables(context, compared, evidence.explanation),
      RelatedFindings(context, comparison, finding),
      AcknowledgeForm(context, comparison, evidence),
      El("p", {{"class", "about"}},
         {Html("In a terminal: "),
          El("code", {},
             Html(absl::StrCat("gprofhub explain ", reporter::FindingId(finding), " ",
                               comparison.run)))}),
  });
}

}  // namespace gprofhub::page
