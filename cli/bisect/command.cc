#include "cli/bisect/command.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "cli/bisect/culprit_request.h"
#include "cli/bisect/options.h"
#include "cli/bisect/result_text.h"
#include "cli/bisect/session.h"
#include "cli/client/query_client.h"
#include "cli/output/json_text.h"

namespace gprofhub::cli {
namespace {

struct BisectArguments {
  std::string range;
  SoughtOptions sought;
  SessionOptions session;
  bool events = false;
  bool upload = false;
  std::string branch = "main";
  std::string format = "text";
};

// A search to make.
struct Task {
  Range range;  // full hashes, as requested
  CommitLine line;
  Setting setting;
};

absl::StatusOr<Task> TaskOfRange(const BisectArguments& arguments, const ci::GitCommand& git) {
  absl::StatusOr<Range> range = ParseRange(arguments.range);
  if (!range.ok()) return range.status();
  absl::StatusOr<CommitLine> line = ReadLine(git, *range);
  if (!line.ok()) return line.status();
  const absl::StatusOr<std::string> base = git({"rev-parse", range->base + "^{commit}"});
  if (!base.ok()) return base.status();
  Range full = {*base, line->commits.back().hash};
  const absl::StatusOr<Sought> sought = FindSought(arguments.sought, full);
  if (!sought.ok()) return sought.status();
  return Task{std::move(full), *std::move(line), SettingOf(arguments.sought, *sought)};
}

// The events of the branch that began somewhere among several commits, newest first. Prints a
// warning with the reason for each event that cannot be bisected.
absl::StatusOr<std::vector<Task>> TasksOfEvents(const BisectArguments& arguments,
                                                const ci::GitCommand& git) {
  v1::GetChangesRequest request;
  request.set_branch(arguments.branch);
  const absl::StatusOr<v1::GetChangesResponse> changes =
      QueryClient(arguments.sought.server).GetChanges(request);
  if (!changes.ok()) return changes.status();
  std::vector<Task> tasks;
  for (const v1::ChangeEvent& event : changes->events()) {
    if (event.commits() == 1 || event.cause().metric() != v1::Finding::CALLS) continue;
    Range range = {event.last_before().commit(), event.first_after().commit()};
    absl::StatusOr<CommitLine> line = ReadLine(git, range);
    if (!line.ok()) {
      Warn(absl::StrCat("the change of ", event.cause().function(), ": ", line.status().message()));
      continue;
    }
    if (line->commits.size() == 2) continue;
    absl::StatusOr<Question> question = QuestionOf(event.cause());
    if (!question.ok()) return question.status();
    const Sought sought = {*std::move(question), changes->configuration(), {}};
    tasks.push_back({std::move(range), *std::move(line), SettingOf(arguments.sought, sought)});
  }
  return tasks;
}

int Print(const std::vector<BisectReport>& reports, const std::string& format) {
  if (format == "json") {
    nlohmann::ordered_json json = {{"schema", 1}};
    json["searches"] = nlohmann::ordered_json::array();
    for (const BisectReport& report : reports) json["searches"].push_back(BisectJson(report));
    return PrintOutput(JsonText(json));
  }
  std::string text;
  for (const BisectReport& report : reports) {
    absl::StrAppend(&text, text.empty() ? "" : "\n", BisectText(report));
  }
  return PrintOutput(text);
}

// Uploads the result to the server; returns the exit code.
int Upload(const BisectReport& report, const Range& range, const ServerOptions& server) {
  const std::optional<v1::RecordCulpritRequest> request = CulpritRequest(report, range);
  if (!request.has_value()) return kExitOk;
  const absl::Status told = QueryClient(server).RecordCulprit(*request);
  return told.ok() ? kExitOk : ReportStatus(told);
}

int RunBisect(const BisectArguments& arguments) {
  SessionOptions options = arguments.session;
  options.workspace = ".";
  options.bazel = arguments.sought.bazel;
  options.say = [](const std::string& line) { std::cerr << base::Printable(line) << "\n"; };
  absl::StatusOr<Session> session = Session::Open(std::move(options));
  if (!session.ok()) return ReportStatus(session.status());
  std::vector<Task> tasks;
  if (arguments.events) {
    absl::StatusOr<std::vector<Task>> found = TasksOfEvents(arguments, session->git());
    if (!found.ok()) return ReportStatus(found.status());
    tasks = *std::move(found);
  } else {
    absl::StatusOr<Task> task = TaskOfRange(arguments, session->git());
    if (absl::IsInvalidArgument(task.status())) return ReportUsage(task.status());
    if (!task.ok()) return ReportStatus(task.status());
    tasks.push_back(*std::move(task));
  }
  int outcome = kExitOk;
  std::vector<BisectReport> reports;
  for (Task& task : tasks) {
    absl::StatusOr<Bisection> found = session->Search(task.line, task.setting);
    if (!found.ok()) {
      outcome = ReportStatus(found.status());
      // A failed precondition concerns one event only; other errors would repeat for the next.
      if (absl::IsFailedPrecondition(found.status())) continue;
      break;
    }
    reports.push_back({task.setting.question, std::move(task.line), *std::move(found)});
    if (!IsFound(reports.back()) && outcome == kExitOk) outcome = kExitIncomplete;
    // At once: a night's job may be ended at any time.
    if (arguments.upload) {
      const int told = Upload(reports.back(), task.range, arguments.sought.server);
      if (outcome == kExitOk) outcome = told;
    }
  }
  if (reports.empty() && !tasks.empty()) return outcome;
  const int printed = Print(reports, arguments.format);
  return printed != kExitOk ? printed : outcome;
}

void AddSessionOptions(CLI::App& command, SessionOptions& options) {
  const std::string how = "How to search";
  command
      .add_option("--commits", options.most_commits,
                  "Build at most so many commits now; the same command goes on later (0: all)")
      ->capture_default_str()
      ->group(how);
  command.add_option("--repeat", options.repeat, "Runs of each commit where the count varies")
      ->check(CLI::Range(1u, 100u))
      ->capture_default_str()
      ->group(how);
  command.add_flag("--reset", options.reset, "Forget what an earlier search found")->group(how);
  command
      .add_option("--folder", options.folder,
                  "Folder for the search's state and its working tree (default: one in the user's "
                  "cache, by this folder's path)")
      ->type_name("FOLDER")
      ->group(how);
}

}  // namespace

void AddBisectCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "bisect",
      "Find the commit that changed how often a function is called\n"
      "Builds and runs one test at some commits between BASE and HEAD, in a working tree of its "
      "own. Run it in the Bazel workspace; the same command again goes on where it was ended. Ends "
      "with 0 if one commit is found, 5 if several are left.");
  auto arguments = std::make_shared<BisectArguments>();
  CLI::Option* const range =
      command->add_option("range", arguments->range, "BASE..HEAD, as git knows them");
  CLI::Option* const events =
      command
          ->add_flag("--events", arguments->events,
                     "Instead of a range: search all changes that `gprofhub changes` lists, whose "
                     "commit it cannot tell")
          ->excludes(range);
  command->add_flag("--upload", arguments->upload,
                    "Tell the server which commit it was: `gprofhub changes` and messages about "
                    "the main branch name it");
  command->add_option("--branch", arguments->branch, "Branch of --events")
      ->capture_default_str()
      ->needs(events);
  AddSoughtOptions(*command, arguments->sought);
  AddSessionOptions(*command, arguments->session);
  command->add_option("--format", arguments->format, "How to print it")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  SetExamples(*command, {"gprofhub bisect 3fa41c2..HEAD --finding 5b02c19ad4",
                         "gprofhub bisect v1.2..main --finding 5b02 --report report.json",
                         "gprofhub bisect 3fa41c2.. --target //db:query_test --function parse",
                         "gprofhub bisect --events --commits 20 --upload"});
  command->callback([arguments, &run] {
    if (arguments->events) {
      const SoughtOptions& sought = arguments->sought;
      if (!sought.finding.empty() || !sought.question.function.empty()) {
        throw CLI::ValidationError("--events", "takes what to search for from the server");
      }
    } else {
      if (arguments->range.empty()) throw CLI::RequiredError("range");
      CheckSoughtOptions(arguments->sought);
    }
    run = [arguments] { return RunBisect(*arguments); };
  });
}

}  // namespace gprofhub::cli
