#include <set>

#include "absl/strings/str_cat.h"
#include "page/html.h"
#include "page/views/runs.h"
#include "page/views/shell.h"
#include "page/views/views.h"
#include "page/words.h"
#include "reporter/rendering/cause_words.h"
#include "reporter/rendering/function_rows.h"

namespace gprofhub::page {

namespace {

constexpr int kShownEvents = 10;

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
    say(FollowersWords(event.following_functions()));
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

// The changes of each are computed on request: by a script, or by the page that the link leads to.
Html PullRequests(const Context& context, const std::vector<v1::Run>& pulls) {
  std::vector<Row> rows;
  for (const v1::Run& run : pulls) {
    const v1::RunInfo& info = run.info();
    const Url verdict =
        Url::Path({"api", "v1", "projects", context.project, "runs", run.run_id(), "verdict"});
    const Html what = Link(CompareUrl(context.project, run.run_id(), ""), "What changed");
    rows.push_back(
        {{Badge("neutral", Html(absl::StrCat("#", info.pull_request()))), Html(info.branch()),
          When(run.received_unix_ms()), CommitOf(context.links, info.commit()),
          run.jobs_pending() > 0 ? JobsOf(run) : El("span", {{"data-verdict", verdict}}, what),
          run.jobs_pending() > 0 ? Html() : what}});
  }
  return Table(
      "The newest run of each pull request",
      {{"Pull request"}, {"Branch"}, {"Received"}, {"Commit"}, {"Verdict"}, {"Comparison"}}, rows);
}

}  // namespace

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
    pieces.push_back(PullRequests(context, pulls));
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
