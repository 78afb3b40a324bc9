#include "page/views/runs.h"

#include <map>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "page/html.h"
#include "page/views/finding_parts.h"
#include "page/views/shell.h"
#include "page/words.h"
#include "profile/target_names.h"

namespace gprofhub::page {

namespace {

Html BranchOf(const v1::Run& run) {
  const v1::RunInfo& info = run.info();
  if (!info.pull_request().empty()) {
    return Join({Badge("neutral", Html(absl::StrCat("#", info.pull_request()))), Html(" "),
                 Html(info.branch())});
  }
  return info.branch();
}

}  // namespace

Html JobsOf(const v1::Run& run) {
  if (run.jobs_pending() > 0) {
    return Badge("neutral", Html(absl::StrCat("… ", run.jobs_pending(), " pending")));
  }
  if (run.jobs_failed() > 0) {
    return Badge("worse", Html(absl::StrCat("✗ ", run.jobs_failed(), " failed")));
  }
  return Badge("better", "✓ analysed");
}

Html VerdictOf(absl::string_view project, absl::string_view run) {
  const Url verdict = Url::Path({"api", "v1", "projects", project, "runs", run, "verdict"});
  return El("a", {Href(CompareUrl(project, run, "")), {"data-verdict", verdict}},
            "Compare with its baseline");
}

Html VerdictOf(absl::string_view project, const v1::Run& run) {
  if (run.jobs_pending() > 0) return JobsOf(run);
  const Html link = VerdictOf(project, run.run_id());
  return run.jobs_failed() == 0 ? link : Join({JobsOf(run), Html(" "), link});
}

Url CompareChosenUrl(absl::string_view project) { return Url::Path({"p", project, "compare"}); }

Html RunsTable(const Context& context, absl::string_view caption,
               const std::vector<v1::Run>& runs) {
  std::vector<Row> rows;
  for (const v1::Run& run : runs) {
    const std::string name = absl::StrCat(kChosenRun, run.run_id());
    rows.push_back({{El("input", {{"type", "checkbox"},
                                  {"name", name},
                                  {"value", "1"},
                                  {"aria-label", absl::StrCat("Choose run ", run.run_id())}}),
                     Link(RunUrl(context.project, run.run_id()), Html(run.run_id())),
                     VerdictOf(context.project, run), BranchOf(run),
                     CommitOf(context.links, run.info().commit(), run.info().commit_subject()),
                     When(run.received_unix_ms()), Html(run.info().configuration())},
                    "",
                    "walk"});
  }
  const Html table = Table(
      caption,
      {{""}, {"Run", true}, {"Verdict"}, {"Branch"}, {"Commit"}, {"Received"}, {"Configuration"}},
      rows);
  if (runs.size() < 2) return table;
  return El("form", {{"class", "choose"}, Action(CompareChosenUrl(context.project))},
            {El("p", {{"class", "buttons"}},
                {El("button", {{"type", "submit"}}, "Compare two runs"),
                 El("span", {{"class", "about"}}, "Choose two runs in the list.")}),
             table});
}

std::string RunTitle(const v1::Run& run) {
  const v1::RunInfo& info = run.info();
  const std::string of = !info.pull_request().empty() ? absl::StrCat(" of #", info.pull_request())
                         : !info.branch().empty()     ? absl::StrCat(" of ", info.branch())
                                                      : "";
  return absl::StrCat("Run ", run.run_id(), of);
}

Html RunsView(const Context& context, const std::vector<v1::Run>& runs, const RunsQuery& query) {
  const auto field = [](absl::string_view name, absl::string_view words, const std::string& value,
                        absl::string_view hint, const std::vector<std::string>& suggestions) {
    const std::string list = absl::StrCat(name, "-list");
    std::vector<Html> options;
    for (const std::string& one : suggestions) options.push_back(El("option", {{"value", one}}));
    return El("label", {},
              {Html(words), Html(" "),
               El("input", {{"name", name},
                            {"value", value},
                            {"list", list},
                            {"placeholder", hint},
                            {"autocomplete", "off"},
                            {"spellcheck", "false"}}),
               El("datalist", {{"id", list}}, Join(options))});
  };
  const Html form = El(
      "form", {{"class", "filter"}, {"role", "search"}, Action(RunsUrl(context.project))},
      {field("branch", "Branch", query.branch, "any part", query.branches),
       field("pull_request", "Pull request", query.pull_request, "any part", query.pull_requests),
       field("commit", "Commit", query.commit, "first digits", {}),
       El("button", {{"type", "submit"}}, "Filter")});
  return Join({El("h1", {}, "Runs"), form,
               runs.empty() ? El("p", {}, "No run matches these filters.")
                            : RunsTable(context, "Runs, newest first", runs)});
}

namespace {

// Invocation id by the label of a test whose log it has.
using Logs = std::map<std::string, std::string>;

Html LogOf(const Context& context, const Logs& logs, const std::string& label) {
  const std::string test = profile::TestOf(label);
  const auto log = logs.find(test);
  if (log == logs.end()) return Html();
  return Link(InvocationUrl(context.project, log->second).At(LogPlace(test)), "Log");
}

Html ProfileLinks(const Context& context, const v1::Run& run, const v1::Target& target) {
  if (target.state() != v1::Target::ANALYZED || target.profiles() == 0) return Html();
  const auto to = [&](absl::string_view page, absl::string_view words) {
    return Link(TargetUrl(context.project, run.run_id(), page, target.label()), Html(words));
  };
  return Join({to("graph", "Call graph"), Html(" · "), to("flame", "Flame graph"), Html(" · "),
               to("listing", "Listing"), Html(" · "), to("ordering", "Ordering"), Html(" · "),
               to("download", "Files")});
}

Html TargetsOf(const Context& context, const v1::Run& run, const Logs& logs) {
  std::vector<Row> rows;
  for (const v1::Target& target : run.targets()) {
    rows.push_back({{Html(target.label()), ResultOf(target),
                     target.error().empty()
                         ? StateBadge(target.state())
                         : Join({StateBadge(target.state()), El("br"), Html(target.error())}),
                     ExecutionsOf(target), TestTimeOf({&target}), Count(target.profiles()),
                     Html(target.cached() ? "yes" : ""), LogOf(context, logs, target.label()),
                     ProfileLinks(context, run, target)}});
  }
  return Table("Targets",
               {{"Target"},
                {"Result"},
                {"Analysis"},
                {"Executions", true, "Each attempt of each shard of each run of the test"},
                {"Test time", true, "Of all executions together"},
                {"Profiles", true, "One for each process and image"},
                {"From a cache"},
                {"Log", false, "The end of it, of a test that failed"},
                {"Profile"}},
               rows);
}

}  // namespace

Html RunView(const Context& context, const RunShown& shown) {
  const v1::Run& run = shown.run;
  const v1::RunInfo& info = run.info();
  std::optional<Url> ci = Url::External(info.ci_link());
  std::vector<Html> invocations;
  for (const std::string& id : shown.invocations) {
    if (!invocations.empty()) invocations.push_back(Html(", "));
    invocations.push_back(Link(InvocationUrl(context.project, id), Html(id)));
  }
  const Html facts = Facts({
      {"Title", Html(info.title())},
      {"Author", Html(info.author())},
      {"Commit", CommitOf(context.links, info.commit(), info.commit_subject())},
      {"Branch", BranchOf(run)},
      {"Received", When(run.received_unix_ms())},
      {"Configuration", Html(info.configuration())},
      {"Machine", Html(info.machine())},
      {"CI job", ci.has_value() ? Link(*ci, "Open the job") : Html()},
      {shown.invocations.size() == 1 ? "Invocation" : "Invocations", Join(invocations)},
      {"Analysis", JobsOf(run)},
  });
  Logs logs;
  for (const store::KeptLog& log : shown.logs) logs.emplace(log.label, log.invocation_id);
  // A script refreshes this part while the run is in progress.
  Attributes live = {{"id", "live"}};
  if (run.jobs_pending() > 0) live.push_back(Attribute("data-live", "true"));
  return Join({El("h1", {}, Html(RunTitle(run))),
               El("p", {},
                  Link(CompareUrl(context.project, run.run_id(), ""), "Compare with its baseline",
                       "button")),
               El("div", live, {facts, TargetsOf(context, run, logs)})});
}

}  // namespace gprofhub::page
