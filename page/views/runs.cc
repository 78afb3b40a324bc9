#include "page/views/runs.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "page/html/table.h"
#include "page/views/addresses.h"
#include "page/words/words.h"
#include "reporter/rendering/cause_words.h"
#include "reporter/rendering/function_rows.h"

namespace gprofhub::page {
namespace {

constexpr int kShownEvents = 10;

Html BranchOf(const v1::Run& run) {
  const v1::RunInfo& info = run.info();
  if (!info.pull_request().empty()) {
    return Join(
        {El("span", {{"class", "badge neutral"}}, Html(absl::StrCat("#", info.pull_request()))),
         Html(" "), Html(info.branch())});
  }
  return info.branch();
}

Html JobsOf(const v1::Run& run) {
  if (run.jobs_pending() > 0) {
    return El("span", {{"class", "badge neutral"}},
              Html(absl::StrCat("… ", run.jobs_pending(), " pending")));
  }
  if (run.jobs_failed() > 0) {
    return El("span", {{"class", "badge worse"}},
              Html(absl::StrCat("✗ ", run.jobs_failed(), " failed")));
  }
  return El("span", {{"class", "badge better"}}, "✓ analysed");
}

Html RunsTable(const Context& context, absl::string_view caption,
               const std::vector<v1::Run>& runs) {
  std::vector<Row> rows;
  for (const v1::Run& run : runs) {
    rows.push_back(
        {{Link(RunUrl(context.project, run.run_id()), Html(run.run_id())),
          When(run.received_unix_ms()), BranchOf(run), CommitOf(context.links, run.info().commit()),
          Html(run.info().configuration()), JobsOf(run),
          Link(CompareUrl(context.project, run.run_id(), ""), "What changed")}});
  }
  return Table(caption,
               {{"Run", true},
                {"Received"},
                {"Branch"},
                {"Commit"},
                {"Configuration"},
                {"Analysis"},
                {"Comparison"}},
               rows);
}

Html EventOf(const Context& context, const v1::ChangeEvent& event) {
  const reporter::FunctionRow row = reporter::RowOfFinding(event.cause());
  const reporter::CauseWords words = reporter::WordsOfCause(row, MarkName);
  std::vector<Html> pieces = {
      El("p", {{"class", "what"}},
         {VerdictBadge(reporter::RowVerdict(row)), Html(" "), MarkedText(words.what)})};
  std::vector<Html> about;
  const auto say = [&about](const Html& html) {
    if (!about.empty()) about.push_back(Html(" · "));
    about.push_back(html);
  };
  say(Join({Html(event.confirmed() ? "came with " : "perhaps came with "),
            CommitOf(context.links, event.at().commit()), Html(", "), When(event.at().unix_ms())}));
  if (event.has_culprit()) {
    say(Join(
        {Html("found by search: "), CommitOf(context.links, event.culprit().commit()),
         Html(absl::StrCat(" ", event.culprit().subject(), " (", event.culprit().author(), ")"))}));
  }
  if (!words.share.empty()) say(Html(words.share));
  if (event.following_functions() > 0) {
    say(Html(absl::StrCat(event.following_functions(), " functions follow")));
  }
  if (event.has_back_at()) {
    say(Join({Html("went back with "), CommitOf(context.links, event.back_at().commit())}));
  }
  pieces.push_back(El("p", {{"class", "about"}}, Join(about)));
  pieces.push_back(El(
      "p", {{"class", "links"}},
      {Link(FunctionUrl(context.project, event.cause().function(), event.cause().target()),
            "Trend"),
       Html(" · "),
       Link(CompareUrl(context.project, event.first_after().run_id(), event.last_before().run_id()),
            "Before and after")}));
  return El("li", {{"class", "card walk"}}, Join(pieces));
}

Html Events(const Context& context, const v1::GetChangesResponse& changes, int most) {
  if (changes.events().empty()) {
    return El("p", {},
              Html(absl::StrCat("Nothing changed for good in the newest ", changes.runs(),
                                " runs of ", changes.branch(), ".")));
  }
  std::vector<Html> events;
  for (const v1::ChangeEvent& event : changes.events()) {
    if (most-- == 0) break;
    events.push_back(EventOf(context, event));
  }
  return El("ol", {{"class", "cards"}}, Join(events));
}

// The newest run of each pull request.
std::vector<v1::Run> PullRequestsOf(const std::vector<v1::Run>& runs) {
  std::vector<v1::Run> newest;
  std::set<std::string> seen;
  for (const v1::Run& run : runs) {
    const std::string& number = run.info().pull_request();
    if (!number.empty() && seen.insert(number).second) newest.push_back(run);
  }
  return newest;
}

}  // namespace

std::string RunTitle(const v1::Run& run) {
  const v1::RunInfo& info = run.info();
  const std::string of = !info.pull_request().empty() ? absl::StrCat(" of #", info.pull_request())
                         : !info.branch().empty()     ? absl::StrCat(" of ", info.branch())
                                                      : "";
  return absl::StrCat("Run ", run.run_id(), of);
}

Html ProjectsView(const std::vector<ProjectSummary>& projects) {
  if (projects.empty()) {
    return Join(
        {El("h1", {}, "Projects"), El("p", {}, "There is no run yet, or none that you may read."),
         El("pre", {{"tabindex", "0"}}, "bazel test --config=gprof //...\ngprofhub upload")});
  }
  std::vector<Row> rows;
  for (const ProjectSummary& summary : projects) {
    Row row;
    row.cells.push_back(Link(ProjectUrl(summary.project), Html(summary.project)));
    if (summary.latest.empty()) {
      row.cells.insert(row.cells.end(), {"", "", ""});
    } else {
      const v1::Run& run = summary.latest.front();
      row.cells.push_back(Link(RunUrl(summary.project, run.run_id()), Html(RunTitle(run))));
      row.cells.push_back(When(run.received_unix_ms()));
      row.cells.push_back(JobsOf(run));
    }
    rows.push_back(std::move(row));
  }
  return Join({El("h1", {}, "Projects"),
               Table("Projects", {{"Project"}, {"Latest run"}, {"Received"}, {"Analysis"}}, rows)});
}

Html ProjectView(const Context& context, const std::vector<v1::Run>& runs,
                 const v1::GetChangesResponse& changes, const std::string& changes_error) {
  std::vector<Html> pieces = {El("h1", {}, Html(context.project))};
  const std::vector<v1::Run> pulls = PullRequestsOf(runs);
  if (!pulls.empty()) {
    pieces.push_back(El("h2", {}, "Pull requests"));
    pieces.push_back(RunsTable(context, "The newest run of each pull request", pulls));
  }
  pieces.push_back(El("h2", {}, "Changes of the main line"));
  if (!changes_error.empty()) {
    pieces.push_back(El("p", {}, Html(absl::StrCat("Not known: ", changes_error))));
  } else {
    pieces.push_back(Events(context, changes, kShownEvents));
    if (changes.events_size() > kShownEvents) {
      pieces.push_back(El("p", {}, Link(ChangesUrl(context.project), "All changes")));
    }
  }
  pieces.push_back(El("h2", {}, "Latest runs"));
  pieces.push_back(RunsTable(context, "Latest runs, newest first", runs));
  return Join(pieces);
}

Html RunsView(const Context& context, const std::vector<v1::Run>& runs, const RunsQuery& query) {
  const auto field = [](absl::string_view name, absl::string_view words, const std::string& value) {
    return El("label", {},
              {Html(words), Html(" "),
               El("input", {{"name", name}, {"value", value}, {"spellcheck", "false"}})});
  };
  const Html form =
      El("form", {{"class", "filter"}, Action(RunsUrl(context.project))},
         {field("branch", "Branch", query.branch),
          field("pull_request", "Pull request", query.pull_request),
          field("commit", "Commit", query.commit), El("button", {{"type", "submit"}}, "Show")});
  return Join({El("h1", {}, "Runs"), form,
               runs.empty() ? El("p", {}, "No run is so.")
                            : RunsTable(context, "Runs, newest first", runs)});
}

Html RunView(const Context& context, const v1::Run& run) {
  const v1::RunInfo& info = run.info();
  std::optional<Url> ci = Url::External(info.ci_link());
  const Html facts = Facts({
      {"Commit", CommitOf(context.links, info.commit())},
      {"Branch", BranchOf(run)},
      {"Received", When(run.received_unix_ms())},
      {"Configuration", Html(info.configuration())},
      {"Machine", Html(info.machine())},
      {"CI job", ci.has_value() ? Link(*ci, "Open the job") : Html()},
      {"Analysis", JobsOf(run)},
  });
  std::vector<Row> rows;
  for (const v1::Target& target : run.targets()) {
    const auto to = [&](absl::string_view page, absl::string_view words) {
      return Link(TargetUrl(context.project, run.run_id(), page, target.label()), Html(words));
    };
    const bool has_profile = target.state() == v1::Target::ANALYZED && target.profiles() > 0;
    rows.push_back(
        {{Html(target.label()),
          target.error().empty()
              ? StateBadge(target.state())
              : Join({StateBadge(target.state()), El("br"), Html(target.error())}),
          Count(target.executions()), Count(target.profiles()), Html(target.cached() ? "yes" : ""),
          has_profile ? Join({to("graph", "Call graph"), Html(" · "), to("flame", "Flame graph"),
                              Html(" · "), to("listing", "Listing"), Html(" · "),
                              to("ordering", "Ordering"), Html(" · "), to("download", "Files")})
                      : Html()}});
  }
  return Join({El("h1", {}, Html(RunTitle(run))), facts,
               El("p", {},
                  Link(CompareUrl(context.project, run.run_id(), ""),
                       "What changed since the baseline", "button")),
               Table("Targets",
                     {{"Target"},
                      {"State"},
                      {"Executions", true},
                      {"Profiles", true, "One for each process and image"},
                      {"From a cache"},
                      {"Profile"}},
                     rows)});
}

Html ChangesView(const Context& context, const v1::GetChangesResponse& changes) {
  std::vector<Html> pieces = {
      El("h1", {}, Html(absl::StrCat("Changes of ", changes.branch()))),
      El("p", {{"class", "lead"}},
         Html(absl::StrCat("Where counts and times changed for good, in the newest ",
                           changes.runs(), " runs of ", changes.configuration(), ".")))};
  pieces.push_back(Events(context, changes, -1));
  for (const std::string& warning : changes.warnings()) {
    pieces.push_back(El("p", {{"class", "note"}}, Html(warning)));
  }
  return Join(pieces);
}

}  // namespace gprofhub::page
