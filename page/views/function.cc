#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "page/html.h"
#include "page/views/shell.h"
#include "page/views/target.h"
#include "page/views/views.h"
#include "page/words.h"
#include "reporter/findings/text.h"
#include "reporter/rendering/trend.h"

namespace gprofhub::page {

namespace {

using Trend = v1::GetTrendResponse;

// Its options are the choice and the current value.
Html Select(absl::string_view words, absl::string_view name, absl::string_view all,
            const std::string& value, const std::vector<std::string>& choice) {
  std::vector<Html> options = {El("option", {{"value", ""}}, Html(all))};
  const auto add = [&](const std::string& one) {
    Attributes attributes = {{"value", one}};
    if (one == value) attributes.push_back(Attribute("selected", "selected"));
    options.push_back(El("option", attributes, Html(one)));
  };
  const bool is_listed = std::find(choice.begin(), choice.end(), value) != choice.end();
  if (!value.empty() && !is_listed) add(value);
  for (const std::string& one : choice) add(one);
  return El("label", {}, {Html(words), Html(" "), El("select", {{"name", name}}, Join(options))});
}

Html Filter(const Context& context, const FunctionPage& page) {
  const auto hidden = [](absl::string_view name, absl::string_view value) {
    return El("input", {{"type", "hidden"}, {"name", name}, {"value", value}});
  };
  const auto field = [](absl::string_view words, absl::string_view name, absl::string_view value,
                        absl::string_view type) {
    return El(
        "label", {},
        {Html(words), Html(" "),
         El("input", {{"type", type}, {"name", name}, {"value", value}, {"spellcheck", "false"}})});
  };
  const bool is_of_runs = page.trend.by() == v1::BY_RUN;
  std::vector<Html> pieces = {
      hidden("name", page.trend.function()),
      page.limit == 0 ? Html() : hidden("limit", absl::StrCat(page.limit)),
      is_of_runs ? Html() : hidden("by", reporter::NameOfTrendBy(page.trend.by())),
      Select("Target", "target", "All targets", page.target, page.targets),
      Select("Branch", "branch", "All branches", page.branch, page.branches),
      field("From", "from", page.from, "date"),
      field("until", "until", page.until, "date")};
  for (size_t i = 0; i < page.beside.size(); ++i) {
    pieces.push_back(
        field("Compare with", BesideField(i + 1), page.beside[i].function(), "search"));
  }
  if (page.beside.size() < kMostBeside) {
    pieces.push_back(field("Compare with", BesideField(page.beside.size() + 1), "", "search"));
  }
  pieces.push_back(El("button", {{"type", "submit"}}, "Show"));
  return El("form", {{"class", "filter"}, Action(Url::Path({"p", context.project, "function"}))},
            Join(pieces));
}

// Links that choose the trend's range and resolution.
Html Spans(const Context& context, const FunctionPage& page) {
  struct Span {
    v1::TrendBy by;
    uint32_t limit;
    absl::string_view words;
  };
  constexpr Span kSpans[] = {{v1::BY_RUN, kRunsOfPage, "200 runs"},
                             {v1::BY_RUN, 1000, "1,000 runs"},
                             {v1::BY_RUN, 10000, "10,000 runs"},
                             {v1::BY_DAY, kDaysOfPage, "A year by days"},
                             {v1::BY_WEEK, kWeeksOfPage, "Five years by weeks"}};
  std::vector<Html> items;
  for (const Span& span : kSpans) {
    Url url = FunctionUrl(context.project, page.trend.function(), page.target)
                  .With("branch", page.branch)
                  .With("limit", absl::StrCat(span.limit));
    if (span.by != v1::BY_RUN) url = url.With("by", reporter::NameOfTrendBy(span.by));
    Attributes attributes = {Href(url)};
    const uint32_t limit = page.limit == 0 && span.by == v1::BY_RUN ? kRunsOfPage : page.limit;
    if (span.by == page.trend.by() && (limit == 0 || span.limit == limit)) {
      attributes.push_back(Attribute("aria-current", "page"));
    }
    items.push_back(El("li", {}, El("a", attributes, Html(span.words))));
  }
  return El("nav", {{"class", "tabs"}, {"aria-label", "How far back"}}, El("ul", {}, Join(items)));
}

Html ReachedTable(const Context& context, const FunctionPage& page) {
  if (page.reached.empty()) return "";
  std::vector<Row> rows;
  for (const FunctionPage::Reached& one : page.reached) {
    const auto to = [&](absl::string_view view, const Html& words) {
      return Link(TargetUrl(context.project, page.newest_run, view, one.target)
                      .With("function", page.trend.function()),
                  words);
    };
    rows.push_back(
        {{to("graph", Html(one.target)), CountOf(page.trend.function(), one.entry.calls),
          TimeOf(one.entry.self_time), TimeOf(one.entry.self_time + one.entry.children_time),
          ShareOf(one.entry.share), to("ordering", "Place in the order")}});
  }
  return Table(
      absl::StrCat("Targets of run ", page.newest_run, " that reach it"),
      {{"Target"}, {"Calls", true}, {"Self", true}, {"Total", true}, {"Share", true}, {""}}, rows);
}

}  // namespace

Html FunctionView(const Context& context, const FunctionPage& page) {
  const Trend& trend = page.trend;
  std::vector<Html> pieces = {
      El("h1", {}, FunctionCode(DisplayOf(trend))),
      El("p", {{"class", "about"}},
         {Html(page.target.empty() ? "All targets" : page.target),
          page.branch.empty() ? Html() : Html(absl::StrCat(" · ", page.branch)),
          trend.function() == trend.function_display()
              ? Html()
              : Join({Html(" · "), El("code", {{"class", "linkage"}}, Html(trend.function()))})}),
      Filter(context, page), Spans(context, page)};
  for (const std::string& note : page.notes) {
    pieces.push_back(El("p", {{"class", "note"}}, Html(note)));
  }
  pieces.push_back(TrendChart(context, page));
  pieces.push_back(ReachedTable(context, page));
  if (!page.around.empty()) {
    pieces.push_back(
        El("h2", {}, Html(absl::StrCat("Callers and callees in ", page.reached.front().target))));
    pieces.push_back(page.around);
  }
  const bool is_of_runs = trend.by() == v1::BY_RUN;
  pieces.push_back(El("h2", {}, is_of_runs ? "Run by run" : "Min, median and max"));
  pieces.push_back(El("div", {{"id", "trend-table"}},
                      is_of_runs ? RunsTable(context, page) : PeriodsTable(context, page)));
  return Join(pieces);
}

Html FunctionChoiceView(const Context& context, const std::string& name,
                        const std::vector<std::pair<std::string, std::string>>& names,
                        const std::string& message) {
  std::vector<Html> items;
  for (const auto& [linkage, display] : names) {
    items.push_back(El("li", {{"class", "walk"}},
                       Link(FunctionUrl(context.project, linkage, ""), FunctionCode(display))));
  }
  return Join(
      {El("h1", {},
          name.empty() ? Html("Functions") : Html(absl::StrCat("Functions like “", name, "”"))),
       El("p", {{"class", "lead"}}, Html(message)),
       items.empty() ? Html() : El("ul", {{"class", "plain"}}, Join(items))});
}

}  // namespace gprofhub::page
