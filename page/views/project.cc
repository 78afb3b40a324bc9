#include <set>

#include "absl/strings/str_cat.h"
#include "page/html.h"
#include "page/views/runs.h"
#include "page/views/shell.h"
#include "page/views/views.h"
#include "page/words.h"
#include "reporter/findings/function_rows.h"
#include "reporter/rendering/cause_words.h"

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
  // A search for the culprit is more exact than the first run with the change.
  const v1::Culprit& culprit = event.culprit();
  const std::string& commit = event.has_culprit() ? culprit.commit() : event.at().commit();
  const std::string& subject = event.has_culprit() ? culprit.subject() : event.at().subject();
  say(Join(
      {Html(event.confirmed() || event.has_culprit() ? "Introduced in " : "Perhaps introduced in "),
       CommitOf(context.links, commit),
       Html(absl::StrCat(subject.empty() ? "" : ": ", subject,
                         event.has_culprit() ? absl::StrCat(" (", culprit.author(), ")") : "")),
       Html(", "), When(event.at().unix_ms())}));
  if (!words.share.empty()) say(Html(words.share));
  if (event.following_functions() > 0) {
    say(FollowersWords(event.following_functions()));
  }
  if (event.has_back_at()) {
    say(Join({Html("reverted in "),
              CommitOf(context.links, event.back_at().commit(), event.back_at().subject())}));
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

// "100 runs of main".
std::string RunsOf(const v1::GetChangesResponse& changes) {
  return absl::StrCat(changes.runs(), changes.runs() == 1 ? " run" : " runs",
                      changes.branch().empty() ? "" : " of ", changes.branch());
}

Html Events(const Context& context, const v1::GetChangesResponse& changes, int most) {
  if (changes.events().empty()) {
    return El("p", {},
              Html(absl::StrCat("No lasting change in the latest ", RunsOf(changes), ".")));
  }
  std::vector<Html> events;
  for (const v1::ChangeEvent& event : changes.events()) {
    if (most-- == 0) break;
    events.push_back(EventOf(context, event));
  }
  return El("ol", {{"class", "cards"}}, Join(events));
}

// The latest run of each pull request.
std::vector<v1::Run> PullRequestsOf(const std::vector<v1::Run>& runs) {
  std::vector<v1::Run> newest;
  std::set<std::string> seen;
  for (const v1::Run& run : runs) {
    const std::string& number = run.info().pull_request();
    if (!number.empty() && seen.insert(number).second) newest.push_back(run);
  }
  return newest;
}

Html PullRequests(const Context& context, const std::vector<v1::Run>& pulls) {
  std::vector<Row> rows;
  for (const v1::Run& run : pulls) {
    const v1::RunInfo& info = run.info();
    rows.push_back({{Join({Link(RunsUrl(context.project).With("pull_request", info.pull_request()),
                                Badge("neutral", Html(absl::StrCat("#", info.pull_request())))),
                           Html(" "), SubjectOf(info.title())}),
                     VerdictOf(context.project, run), Html(info.branch()),
                     CommitOf(context.links, info.commit()), When(run.received_unix_ms()),
                     Link(RunUrl(context.project, run.run_id()), Html(run.run_id()))},
                    "",
                    "walk"});
  }
  return Table("The latest run of each pull request",
               {{"Pull request"}, {"Verdict"}, {"Branch"}, {"Commit"}, {"Received"}, {"Run", true}},
               rows);
}

Html FirstUpload(const std::string& upload_server, bool needs_token) {
  return Join(
      {El("p", {{"class", "lead"}}, "No run was uploaded yet, or none that you may read."),
       El("p", {}, "Profile the tests of a repository, and upload them:"),
       El("pre", {{"tabindex", "0"}},
          Html::Lines(
              absl::StrCat("bazel test --config=gprof --build_event_binary_file=bep.bin //...\n"
                           "gprofhub upload --bep bep.bin --server ",
                           upload_server, " --project my/repo\n"))),
       needs_token
           ? El("p", {},
                {Html("An upload needs a token: pass it in a file with "),
                 El("code", {}, "--token-file"), Html(", or in "), El("code", {}, "GPROFHUB_TOKEN"),
                 Html(". On the server, this creates one: "),
                 El("code", {}, "gprofhub token create --project my/repo --scope upload-main")})
           : Html()});
}

}  // namespace

Html ProjectsView(const std::vector<ProjectSummary>& projects, const std::string& upload_server,
                  bool needs_token) {
  if (projects.empty()) {
    return Join({El("h1", {}, "Projects"), FirstUpload(upload_server, needs_token)});
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
      row.cells.push_back(VerdictOf(summary.project, run));
      row.cells.push_back(When(run.received_unix_ms()));
    }
    rows.push_back(std::move(row));
  }
  return Join({El("h1", {}, "Projects"),
               Table("Projects", {{"Project"}, {"Latest run"}, {"Verdict"}, {"Received"}}, rows)});
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
    pieces.push_back(El("p", {}, Html(absl::StrCat("Unknown: ", changes_error))));
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
         Html(absl::StrCat("Lasting changes of counts and times in the latest ", RunsOf(changes),
                           changes.configuration().empty() ? "" : ", ", changes.configuration(),
                           ".")))};
  pieces.push_back(Events(context, changes, -1));
  for (const std::string& warning : changes.warnings()) {
    pieces.push_back(El("p", {{"class", "note"}}, Html(warning)));
  }
  return Join(pieces);
}

}  // namespace gprofhub::page
