#include "page/views/invocation.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/text.h"
#include "page/html.h"
#include "page/views/finding_parts.h"
#include "page/views/runs.h"
#include "page/views/shell.h"
#include "page/words.h"
#include "profile/target_names.h"
#include "reporter/findings/text.h"

namespace gprofhub::page {

namespace {

using store::InvocationRecord;
using store::InvocationState;
using store::InvocationTarget;

constexpr size_t kShownCommand = 60;

Html StateOf(InvocationState state) {
  switch (state) {
    case InvocationState::kRunning:
      return Badge("neutral", "… running");
    case InvocationState::kEnded:
      return Badge("better", "✓ ended");
    case InvocationState::kInterrupted:
      break;
  }
  return Badge("worse", "✗ interrupted");
}

Html MomentOf(absl::Time time) {
  return time == absl::UnixEpoch() ? Html() : When(absl::ToUnixMillis(time));
}

Html DurationOf(absl::Duration duration) {
  if (duration <= absl::ZeroDuration()) return Html();
  if (duration < absl::Minutes(1)) {
    return reporter::HumanTime(absl::ToDoubleSeconds(duration), "seconds");
  }
  return absl::FormatDuration(absl::Trunc(duration, absl::Seconds(1)));
}

// Nothing while it runs.
Html DurationOf(const InvocationRecord& invocation) {
  if (invocation.ended == absl::UnixEpoch()) return Html();
  return DurationOf(invocation.ended - invocation.started);
}

// When the test ran within the invocation, as a bar below its duration. Of results from a cache the
// original duration.
Html TestTimeCell(const InvocationRecord& invocation, const InvocationTarget& target,
                  const std::vector<const v1::Target*>& recorded) {
  const absl::Duration ran = absl::Milliseconds(target.duration_ms);
  const absl::Duration whole = invocation.ended - invocation.started;
  if (ran <= absl::ZeroDuration()) return TestTimeOf(recorded);
  if (whole <= absl::ZeroDuration()) return DurationOf(ran);
  const auto percent = [&](absl::Duration part) {
    return std::clamp(absl::FDivDuration(part, whole), 0.0, 1.0) * 100;
  };
  const double begin = percent(target.started - invocation.started);
  const double end = percent(std::max(target.ended, target.started + ran) - invocation.started);
  return Join({DurationOf(ran), El("svg",
                                   {{"class", "bar"},
                                    {"viewBox", "0 0 100 6"},
                                    {"preserveAspectRatio", "none"},
                                    {"aria-hidden", "true"}},
                                   El("rect", {{"x", absl::StrCat(begin)},
                                               {"width", absl::StrCat(std::max(1.0, end - begin))},
                                               {"height", "6"}}))});
}

// Bazel's status of a test.
Html ResultOfTarget(const InvocationTarget& target, bool is_running) {
  if (target.status.empty()) return Badge("neutral", is_running ? "… not yet" : "– did not run");
  return ResultBadge(target.status);
}

Html BranchCell(const InvocationRecord& invocation) {
  if (invocation.pull_request.empty()) return invocation.branch;
  return Join({Badge("neutral", absl::StrCat("#", invocation.pull_request)), Html(" "),
               Html(invocation.branch)});
}

// The run's targets by Bazel's label. Each case of a benchmark is a target of the run.
using Analyses = std::map<std::string, std::vector<const v1::Target*>>;

Analyses AnalysesOf(const std::optional<v1::Run>& run) {
  Analyses analyses;
  if (!run.has_value()) return analyses;
  for (const v1::Target& target : run->targets()) {
    analyses[profile::TestOf(target.label())].push_back(&target);
  }
  return analyses;
}

Html AnalysisOf(const std::vector<const v1::Target*>& targets) {
  if (targets.empty()) return Html();
  if (targets.size() == 1) return StateBadge(targets.front()->state());
  const auto done = std::count_if(targets.begin(), targets.end(), [](const v1::Target* one) {
    return one->state() == v1::Target::ANALYZED;
  });
  return Html(absl::StrCat(done, " of ", targets.size(), " cases analysed"));
}

// The attempts that the run recorded. Each case of a benchmark has its own.
Html RecordedOf(const InvocationTarget& target, const std::vector<const v1::Target*>& analysed) {
  return analysed.size() == 1 ? ExecutionsOf(*analysed[0]) : Count(target.recorded);
}

Html LinksTo(const Context& context, const v1::Run& run,
             const std::vector<const v1::Target*>& targets) {
  if (targets.size() > 1) return Link(RunUrl(context.project, run.run_id()), "Cases");
  const bool has_profile =
      !targets.empty() && targets[0]->state() == v1::Target::ANALYZED && targets[0]->profiles() > 0;
  if (!has_profile) return Html();
  const auto to = [&](absl::string_view page, const char* words) {
    return Link(TargetUrl(context.project, run.run_id(), page, targets[0]->label()), words);
  };
  return Join({to("graph", "Call graph"), Html(" · "), to("flame", "Flame graph")});
}

Html TargetsOf(const Context& context, const InvocationShown& shown) {
  const Analyses analyses = AnalysesOf(shown.run);
  const bool is_running = shown.invocation.state == InvocationState::kRunning;
  std::vector<Row> rows;
  for (const InvocationTarget& target : shown.targets) {
    const auto found = analyses.find(target.label);
    const std::vector<const v1::Target*> analysed =
        found == analyses.end() ? std::vector<const v1::Target*>() : found->second;
    rows.push_back(
        {{Html(target.label), ResultOfTarget(target, is_running), Count(target.attempts),
          RecordedOf(target, analysed), TestTimeCell(shown.invocation, target, analysed),
          MomentOf(target.ended),
          target.log_end.empty() ? Html() : Link(Url::Here(LogPlace(target.label)), "Log"),
          AnalysisOf(analysed), Html(target.note),
          shown.run.has_value() ? LinksTo(context, *shown.run, analysed) : Html()}});
  }
  return Table("Tests",
               {{"Test"},
                {"Result"},
                {"Attempts", true, "Those that ended"},
                {"In the run", true, "Attempts whose profiles were taken"},
                {"Test time", true, "Of all attempts; the bar shows when they ran"},
                {"Ended"},
                {"Log", false, "The end of it, of a test that failed"},
                {"Analysis"},
                {"Left out"},
                {"Profile"}},
               rows);
}

Html LogsOf(const InvocationShown& shown) {
  std::vector<Html> logs;
  for (const InvocationTarget& target : shown.targets) {
    if (target.log_end.empty()) continue;
    logs.push_back(El("details", {},
                      {El("summary", {}, Html(target.label)),
                       // A link to folded content opens it.
                       El("pre",
                          {{"id", LogPlace(target.label)},
                           {"class", "listing"},
                           {"tabindex", "0"},
                           {"aria-label", "The end of the test’s log"}},
                          Html::Lines(target.log_end))}));
  }
  if (logs.empty()) return Html();
  logs.insert(logs.begin(), El("h2", {}, "Logs of failed tests"));
  return Join(logs);
}

size_t EndedTargets(const InvocationShown& shown) {
  return static_cast<size_t>(
      std::count_if(shown.targets.begin(), shown.targets.end(),
                    [](const InvocationTarget& target) { return !target.status.empty(); }));
}

// Of several projects, or of one.
Html InvocationRows(const std::vector<InvocationRecord>& invocations, bool of_several) {
  std::vector<Row> rows;
  for (const InvocationRecord& one : invocations) {
    const std::string run = one.run_id == 0 ? "" : absl::StrCat(one.run_id);
    Row row;
    row.css_class = "walk";
    row.cells = {Link(InvocationUrl(one.project, one.invocation_id), Html(one.invocation_id)),
                 StateOf(one.state),
                 run.empty() ? Html() : VerdictOf(one.project, run),
                 one.command_line.empty()
                     ? Html()
                     : El("code", {{"title", one.command_line}},
                          Html(base::Shortened(one.command_line, kShownCommand))),
                 MomentOf(one.started),
                 DurationOf(one),
                 BranchCell(one),
                 El("code", {{"class", "commit"}}, Html(ShortCommit(one.commit)))};
    if (of_several) row.cells.emplace_back(one.project);
    rows.push_back(std::move(row));
  }
  std::vector<Column> columns = {{"Invocation"}, {"State"},          {"Verdict"}, {"Command"},
                                 {"Began"},      {"Duration", true}, {"Branch"},  {"Commit"}};
  if (of_several) columns.push_back({"Project"});
  return Table("Invocations, newest first", columns, rows);
}

}  // namespace

bool IsUnderWay(const InvocationShown& shown) {
  return shown.invocation.state == InvocationState::kRunning ||
         (shown.run.has_value() && shown.run->jobs_pending() > 0);
}

bool IsWhole(const InvocationShown& shown) {
  return !IsUnderWay(shown) && shown.invocation.state == InvocationState::kEnded &&
         shown.run.has_value() && shown.invocation.note.empty() &&
         std::all_of(shown.targets.begin(), shown.targets.end(),
                     [](const InvocationTarget& target) {
                       return target.note.empty() && target.log_end.empty();
                     });
}

Html InvocationView(const Context& context, const InvocationShown& shown) {
  const InvocationRecord& invocation = shown.invocation;
  std::vector<std::pair<std::string, Html>> facts = {
      {"State", StateOf(invocation.state)},
      {"Began", MomentOf(invocation.started)},
      {"Duration", DurationOf(invocation)},
      {"Commit", CommitOf(context.links, invocation.commit)},
      {"Branch", BranchCell(invocation)},
      {"Sent by", Html(invocation.sender)},
      {"Tests that ended", Html(absl::StrCat(EndedTargets(shown), " of ", shown.targets.size()))},
  };
  if (shown.run.has_value()) {
    facts.emplace_back(
        "Run", Link(RunUrl(context.project, shown.run->run_id()), Html(shown.run->run_id())));
  }
  std::vector<Html> pieces = {
      El("h1", {}, Html(absl::StrCat("Invocation ", invocation.invocation_id))), Facts(facts)};
  if (!invocation.command_line.empty()) {
    pieces.push_back(El("pre",
                        {{"class", "listing command"},
                         {"tabindex", "0"},
                         {"aria-label", "Command line"},
                         {"role", "region"}},
                        Html(invocation.command_line)));
  }
  if (!invocation.note.empty()) {
    pieces.push_back(El("p", {{"class", "note"}}, Html(invocation.note)));
  }
  if (IsUnderWay(shown)) {
    pieces.push_back(El("p", {}, "This page reloads until the analysis is complete."));
  } else if (shown.run.has_value()) {
    pieces.push_back(El("p", {},
                        Link(CompareUrl(context.project, shown.run->run_id(), ""),
                             "Compare with its baseline", "button")));
  }
  pieces.push_back(TargetsOf(context, shown));
  pieces.push_back(LogsOf(shown));
  return Join(pieces);
}

Html InvocationsView(const std::vector<InvocationRecord>& invocations) {
  return Join({El("h1", {}, "Invocations"),
               invocations.empty()
                   ? El("p", {}, "No build events of Bazel arrived in the last 30 days.")
                   : InvocationRows(invocations, /*of_several=*/false)});
}

Html SameInvocationView(const std::vector<InvocationRecord>& invocations) {
  return Join({El("h1", {}, "Several projects have this invocation"),
               InvocationRows(invocations, /*of_several=*/true)});
}

}  // namespace gprofhub::page
