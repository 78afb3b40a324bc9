#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cli/client/judge_run.h"
#include "cli/client/output.h"
#include "cli/client/query_client.h"
#include "cli/commands.h"

namespace gprofhub::cli {

namespace {

struct RunsArguments {
  ServerOptions server;
  std::string branch;
  std::string commit;
  std::string pull_request;
  bool windows = false;
  uint32_t limit = 20;
  std::string format = "table";
  bool wait = false;
  uint32_t wait_seconds = 600;
};

v1::ListRunsRequest RequestOf(const RunsArguments& arguments) {
  v1::ListRunsRequest request;
  request.set_branch(arguments.branch);
  request.set_commit(arguments.commit);
  request.set_pull_request(arguments.pull_request);
  request.set_limit(arguments.limit);
  request.set_with_targets(arguments.format == "json");
  request.set_windows(arguments.windows);
  return request;
}

std::string StateOf(const v1::Run& run) {
  const char* kind = run.info().profile_kind() == v1::SAMPLED  ? ", sampled"
                     : run.info().profile_kind() == v1::WINDOW ? ", window"
                                                               : "";
  if (run.jobs_pending() > 0) return absl::StrCat(run.jobs_pending(), " pending", kind);
  if (run.jobs_failed() > 0) return absl::StrCat(run.jobs_failed(), " failed", kind);
  return absl::StrCat("analysed", kind);
}

std::string TimeText(int64_t unix_ms) {
  return absl::FormatTime("%Y-%m-%d %H:%M", absl::FromUnixMillis(unix_ms), absl::UTCTimeZone());
}

std::string RunsTable(const v1::ListRunsResponse& runs) {
  if (runs.runs().empty()) return "no run matches these filters\n";
  constexpr auto kLeft = Table::Align::kLeft;
  constexpr auto kRight = Table::Align::kRight;
  constexpr auto kName = Table::Align::kName;
  Table table({kRight, kLeft, kName, kLeft, kName, kLeft, kRight, kLeft});
  table.AddRow({"RUN", "COMMIT", "BRANCH", "PR", "CONFIG", "RECEIVED (UTC)", "TARGETS", "STATE"});
  for (const v1::Run& run : runs.runs()) {
    table.AddRow(
        {run.run_id(), run.info().commit().substr(0, 10), run.info().branch(),
         run.info().pull_request(), run.info().configuration(), TimeText(run.received_unix_ms()),
         absl::StrCat(run.jobs_pending() + run.jobs_done() + run.jobs_failed()), StateOf(run)});
    for (const v1::Target& target : run.targets()) {
      if (target.state() != v1::Target::FAILED) continue;
      table.AddNote(absl::StrCat("        ", target.label(), ": ", target.error()));
    }
  }
  return table.Text();
}

using Json = nlohmann::ordered_json;

Json TargetsJson(const v1::Run& run) {
  Json targets = Json::array();
  for (const v1::Target& target : run.targets()) {
    targets.push_back({{"label", target.label()},
                       {"state", absl::AsciiStrToLower(v1::Target::State_Name(target.state()))},
                       {"error", target.error()},
                       {"executions", target.executions()},
                       {"profiles", target.profiles()},
                       {"cached", target.cached()}});
  }
  return targets;
}

std::string RunsJson(const v1::ListRunsResponse& response) {
  Json runs = Json::array();
  for (const v1::Run& run : response.runs()) {
    runs.push_back(
        {{"run_id", run.run_id()},
         {"run_key", run.info().run_key()},
         {"commit", run.info().commit()},
         {"branch", run.info().branch()},
         {"commit_subject", run.info().commit_subject()},
         {"base_commit", run.info().base_commit()},
         {"pull_request", run.info().pull_request()},
         {"title", run.info().title()},
         {"author", run.info().author()},
         {"ci_link", run.info().ci_link()},
         {"configuration", run.info().configuration()},
         {"machine", run.info().machine()},
         {"profile_kind", absl::AsciiStrToLower(v1::ProfileKind_Name(run.info().profile_kind()))},
         {"from_fork", run.info().from_fork()},
         {"started_unix_ms", run.info().started_unix_ms()},
         {"commit_unix_ms", run.info().commit_unix_ms()},
         {"received_unix_ms", run.received_unix_ms()},
         {"jobs_pending", run.jobs_pending()},
         {"jobs_done", run.jobs_done()},
         {"jobs_failed", run.jobs_failed()},
         {"targets", TargetsJson(run)}});
  }
  return JsonText(Json({{"runs", std::move(runs)}}));
}

int RunRuns(const RunsArguments& arguments) {
  QueryClient client(arguments.server);
  const auto list = [&] { return client.Call(&QueryStub::ListRuns, RequestOf(arguments)); };
  const absl::StatusOr<v1::ListRunsResponse> runs =
      arguments.wait ? AwaitAnalysis(list, arguments.wait_seconds) : list();
  if (!runs.ok()) return ReportStatus(runs.status());
  const int printed =
      arguments.format == "json" ? PrintOutput(RunsJson(*runs)) : PrintText(RunsTable(*runs));
  if (printed != kExitOk || !arguments.wait) return printed;
  if (runs->runs().empty()) {
    return ReportStatus(absl::NotFoundError(
        absl::StrCat("project \"", arguments.server.project,
                     "\": no run matches these filters; upload one with `gprofhub upload`")));
  }
  return FailedTargets(*runs) > 0 ? kExitIncomplete : kExitOk;
}

}  // namespace

void AddRunsCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand("runs", "List uploaded runs");
  auto arguments = std::make_shared<RunsArguments>();
  command
      ->add_option_function<std::string>(
          "--wait",
          [arguments](const std::string& seconds) {
            arguments->wait = true;
            if (seconds.empty()) return;
            if (!CLI::detail::lexical_cast(seconds, arguments->wait_seconds)) {
              throw CLI::ValidationError("--wait", seconds + " is not a number of seconds");
            }
          },
          "Wait until the listed runs are analysed, at most this many seconds (default: 600)")
      ->expected(0, 1)
      ->type_name("SECONDS");
  command->add_option("--branch", arguments->branch, "Only runs of this branch");
  command->add_option("--commit", arguments->commit, "Only runs of this commit");
  command->add_option("--pull-request", arguments->pull_request, "Only runs of this pull request");
  command->add_flag("--windows", arguments->windows,
                    "List windows of running programs instead (`gprofhub upload --window`)");
  command->add_option("--limit", arguments->limit, "Maximum number of runs, newest first")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  command->add_option("--format", arguments->format, "Output format")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  AddServerOptions(*command, arguments->server);
  SetExamples(*command, {"gprofhub runs", "gprofhub runs --wait --limit 1",
                         "gprofhub runs --wait=60 --commit 3fa41c2",
                         "gprofhub runs --branch main --limit 100 --format=json"});
  command->callback([arguments, &run] { run = [arguments] { return RunRuns(*arguments); }; });
}

}  // namespace gprofhub::cli
