#include "cli/bisect/command.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "ci/upload/results/ci_systems.h"
#include "cli/bisect/bisect.h"
#include "cli/bisect/result_text.h"
#include "cli/bisect/test_run.h"
#include "cli/client/output.h"
#include "cli/client/query_client.h"

namespace gprofhub::cli {

namespace {

// The server takes 1,000 bytes; a character has four at most.
constexpr size_t kMostCharacters = 200;

std::string Cut(const std::string& text) {
  return base::Shortened(base::Printable(text), kMostCharacters);
}

}  // namespace

std::optional<v1::RecordCulpritRequest> CulpritRequest(const BisectReport& report,
                                                       const Range& range) {
  if (!IsFound(report)) return std::nullopt;
  const Commit& commit = report.line.commits[report.result.range.first_new];
  v1::RecordCulpritRequest request;
  request.set_target(report.question.target);
  request.set_function(report.question.function);
  request.set_caller(report.question.caller);
  request.set_base_commit(range.base);
  request.set_head_commit(range.head);
  request.mutable_culprit()->set_commit(commit.hash);
  request.mutable_culprit()->set_author(Cut(commit.author));
  request.mutable_culprit()->set_date(Cut(commit.date));
  request.mutable_culprit()->set_subject(Cut(commit.subject));
  return request;
}

// The searches of one `gprofhub bisect`: one repository, one working tree for its commits, a file
// of state for each search.

struct SessionOptions {
  std::string workspace;  // the user's Bazel workspace, in a git repository
  std::string folder;     // for state, log and working tree; empty: one in the user's cache
  std::string bazel = "bazel";
  uint32_t repeat = 5;                          // BisectOptions::repeat
  uint32_t most_commits = 0;                    // measured in this session; 0: any number
  bool reset = false;                           // discard earlier results
  std::function<void(const std::string&)> say;  // one line of progress
};

class Session {
 public:
  // FAILED_PRECONDITION outside of a git repository, or while another session has the folder.
  static absl::StatusOr<Session> Open(SessionOptions options);

  Session(Session&& other) noexcept;
  Session& operator=(Session&&) = delete;
  ~Session();

  const ci::GitCommand& git() const { return git_; }

  // Searches the line. Each measured commit is in the state's file before the next one is begun.
  // Errors are Bisect's, MeasureCalls' and ReadState's.
  absl::StatusOr<Bisection> Search(const CommitLine& line, const Setting& setting);

 private:
  Session(SessionOptions options, ci::GitCommand git, std::string prefix, int lock);
  absl::StatusOr<Measurement> MeasureCommit(const CommitLine& line, const std::string& commit,
                                            const Setting& setting, uint32_t runs);

  SessionOptions options_;
  ci::GitCommand git_;
  std::string prefix_;  // of the workspace within the repository
  int lock_;            // a file descriptor
  std::optional<Worktree> worktree_;
  uint32_t measured_ = 0;
};

namespace {

namespace fs = std::filesystem;

constexpr size_t kFolderDigits = 12;

// Held until the process ends, however it ends.
absl::StatusOr<int> Lock(const std::string& folder) {
  const std::string path = folder + "/lock";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": cannot be written"));
  }
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  close(file);
  return absl::FailedPreconditionError(
      absl::StrCat("another `gprofhub bisect` is running in ", folder,
                   "; wait for it to end, or pass a different --folder"));
}

std::string CountsText(const Measurement& measurement) {
  if (!measurement.skipped.empty()) return absl::StrCat("skipped: ", measurement.skipped);
  return absl::StrJoin(measurement.counts, " ", [](std::string* out, double count) {
    absl::StrAppend(out, CountText(count));
  });
}

}  // namespace

std::string DefaultBisectFolder(const std::string& workspace) {
  ci::Environment environment = ci::ProcessEnvironment();
  std::string cache = environment["XDG_CACHE_HOME"];
  if (cache.empty()) cache = environment["HOME"] + "/.cache";
  std::error_code error;
  const std::string path = fs::weakly_canonical(workspace, error).string();
  return absl::StrCat(cache, "/gprofhub/bisect/", base::Sha256Hex(path).substr(0, kFolderDigits));
}

Session::Session(SessionOptions options, ci::GitCommand git, std::string prefix, int lock)
    : options_(std::move(options)), git_(std::move(git)), prefix_(std::move(prefix)), lock_(lock) {}

Session::Session(Session&& other) noexcept
    : options_(std::move(other.options_)),
      git_(std::move(other.git_)),
      prefix_(std::move(other.prefix_)),
      lock_(std::exchange(other.lock_, -1)),
      worktree_(std::exchange(other.worktree_, std::nullopt)),
      measured_(other.measured_) {}

Session::~Session() {
  // Before another session may create its own there.
  worktree_.reset();
  if (lock_ >= 0) close(lock_);
}

absl::StatusOr<Session> Session::Open(SessionOptions options) {
  ci::GitCommand git = ci::GitIn(options.workspace);
  ASSIGN_OR_RETURN(std::string prefix, git({"rev-parse", "--show-prefix"}));
  if (options.folder.empty()) options.folder = DefaultBisectFolder(options.workspace);
  std::error_code error;
  fs::create_directories(options.folder, error);
  // Git and Bazel run in other directories.
  options.folder = fs::absolute(options.folder).string();
  ASSIGN_OR_RETURN(const int lock, Lock(options.folder));
  return Session(std::move(options), std::move(git), std::move(prefix), lock);
}

absl::StatusOr<Measurement> Session::MeasureCommit(const CommitLine& line,
                                                   const std::string& commit,
                                                   const Setting& setting, uint32_t runs) {
  if (options_.most_commits != 0 && measured_ >= options_.most_commits) {
    return absl::ResourceExhaustedError(
        absl::StrCat("limit of --commits reached: commits measured: ", measured_,
                     "; repeat the command to continue"));
  }
  ++measured_;
  const std::string folder = options_.folder + "/worktree";
  if (!worktree_.has_value()) {
    ASSIGN_OR_RETURN(Worktree worktree, Worktree::Open(git_, folder));
    worktree_.emplace(std::move(worktree));
  }
  const auto about = std::find_if(line.commits.begin(), line.commits.end(),
                                  [&](const Commit& one) { return one.hash == commit; });
  const std::string name = absl::StrCat(commit.substr(0, 12), " ", about->subject);
  options_.say(absl::StrCat("testing ", name));
  RETURN_IF_ERROR(worktree_->CheckOut(commit));
  const TestRun test = {options_.bazel, absl::StrCat(folder, "/", prefix_), options_.folder};
  absl::StatusOr<Measurement> measured = MeasureCalls(test, setting, runs);
  if (measured.ok()) options_.say(absl::StrCat("  ", CountsText(*measured)));
  return measured;
}

absl::StatusOr<Bisection> Session::Search(const CommitLine& line, const Setting& setting) {
  const std::string path = absl::StrCat(options_.folder, "/", StateFileName(setting));
  if (options_.reset) {
    std::error_code error;
    fs::remove(path, error);
  }
  ASSIGN_OR_RETURN(State state, ReadState(path, setting));
  const Measure measure = [&](const std::string& commit, uint32_t runs) {
    return MeasureCommit(line, commit, setting, runs);
  };
  std::vector<std::string> commits;
  for (const Commit& commit : line.commits) commits.push_back(commit.hash);
  return Bisect(commits, Remembered(path, state, measure), {options_.repeat});
}

namespace {

struct BisectArguments {
  std::string range;
  SoughtOptions sought;
  SessionOptions session;
  bool events = false;
  bool upload = false;
  std::string branch;
  std::string format = "text";
};

// A search to make.
struct Task {
  Range range;  // full hashes, as requested
  CommitLine line;
  Setting setting;
};

absl::StatusOr<Task> TaskOfRange(const BisectArguments& arguments, const ci::GitCommand& git) {
  ASSIGN_OR_RETURN(Range range, ParseRange(arguments.range));
  ASSIGN_OR_RETURN(CommitLine line, ReadLine(git, range));
  ASSIGN_OR_RETURN(const std::string base, git({"rev-parse", range.base + "^{commit}"}));
  Range full = {base, line.commits.back().hash};
  ASSIGN_OR_RETURN(const Sought sought, FindSought(arguments.sought, full));
  return Task{std::move(full), std::move(line), SettingOf(arguments.sought.build, sought)};
}

// The events of the branch that began somewhere among several commits, newest first. Prints a
// warning with the reason for each event that cannot be bisected.
absl::StatusOr<std::vector<Task>> TasksOfEvents(const BisectArguments& arguments,
                                                const ci::GitCommand& git) {
  v1::GetChangesRequest request;
  request.set_branch(arguments.branch);
  ASSIGN_OR_RETURN(const v1::GetChangesResponse changes,
                   QueryClient(arguments.sought.server).Call(&QueryStub::GetChanges, request));
  std::vector<Task> tasks;
  for (const v1::ChangeEvent& event : changes.events()) {
    if (event.commits() == 1 || event.cause().metric() != v1::Finding::CALLS) continue;
    Range range = {event.last_before().commit(), event.first_after().commit()};
    absl::StatusOr<CommitLine> line = ReadLine(git, range);
    if (!line.ok()) {
      Warn(absl::StrCat("the change of ", event.cause().function(), ": ", line.status().message()));
      continue;
    }
    if (line->commits.size() == 2) continue;
    ASSIGN_OR_RETURN(Question question, QuestionOf(event.cause()));
    const Sought sought = {std::move(question), changes.configuration(), {}};
    tasks.push_back(
        {std::move(range), *std::move(line), SettingOf(arguments.sought.build, sought)});
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
  const absl::Status told = QueryClient(server).Call(&QueryStub::RecordCulprit, *request).status();
  return told.ok() ? kExitOk : ReportStatus(told);
}

int RunBisect(const BisectArguments& arguments) {
  SessionOptions options = arguments.session;
  options.workspace = ".";
  options.bazel = arguments.sought.build.bazel;
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
  const std::string how = "Search options";
  command
      .add_option(
          "--commits", options.most_commits,
          "Maximum number of commits to build now; repeat the command to continue (0: no limit)")
      ->capture_default_str()
      ->group(how);
  command.add_option("--repeat", options.repeat, "Number of runs per commit if the count varies")
      ->check(CLI::Range(1u, 100u))
      ->capture_default_str()
      ->group(how);
  command.add_flag("--reset", options.reset, "Discard the results of an earlier search")
      ->group(how);
  command
      .add_option("--folder", options.folder,
                  "Folder for the state of the search and its working tree (default: a folder in "
                  "the user's cache, named after the path of the current folder)")
      ->type_name("FOLDER")
      ->group(how);
}

}  // namespace

void AddBisectCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "bisect",
      "Find the commit that changed how often a function is called\n"
      "Builds and runs one test at some commits between BASE and HEAD, in a separate working tree. "
      "Run it in the Bazel workspace; after an interruption, repeat the command to continue. Exits "
      "with 0 if one commit is found, 5 if several remain.");
  auto arguments = std::make_shared<BisectArguments>();
  CLI::Option* const range =
      command->add_option("range", arguments->range, "BASE..HEAD, revisions of git");
  CLI::Option* const events =
      command
          ->add_flag("--events", arguments->events,
                     "Instead of a range: search for the commit of every change for which "
                     "`gprofhub changes` lists only a range")
          ->excludes(range);
  command->add_flag("--upload", arguments->upload,
                    "Report the commit to the server: `gprofhub changes` and messages about the "
                    "main branch name it");
  command
      ->add_option("--branch", arguments->branch,
                   "Branch for --events (default: the project's main branch)")
      ->needs(events);
  AddSoughtOptions(*command, arguments->sought);
  AddSessionOptions(*command, arguments->session);
  command->add_option("--format", arguments->format, "Output format")
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
        throw CLI::ValidationError(
            "--events", "gets the function from the server; omit --finding and --function");
      }
    } else {
      if (arguments->range.empty()) throw CLI::RequiredError("range");
      CheckSoughtOptions(arguments->sought);
    }
    run = [arguments] { return RunBisect(*arguments); };
  });
}

namespace {

struct JudgeArguments {
  SoughtOptions sought;
  std::optional<double> before;
  std::optional<double> after;
  uint32_t runs = 1;
  std::string folder;
};

int Abort(const absl::Status& status) {
  ReportStatus(status);
  return kJudgeAbort;
}

int Skip(absl::string_view why) {
  std::cerr << "gprofhub: skipped: " << base::Printable(why) << "\n";
  return kJudgedSkip;
}

int RunJudge(const JudgeArguments& arguments) {
  absl::StatusOr<Sought> sought = FindSought(arguments.sought, std::nullopt);
  if (!sought.ok()) return Abort(sought.status());
  const Levels levels = {arguments.before.value_or(sought->levels.before),
                         arguments.after.value_or(sought->levels.after)};
  if (levels.before == levels.after) {
    return Abort(absl::InvalidArgumentError("--before and --after must differ"));
  }
  const std::string folder = arguments.folder.empty() ? DefaultBisectFolder(".") : arguments.folder;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const TestRun test = {arguments.sought.build.bazel, ".",
                        std::filesystem::absolute(folder, error).string()};
  const absl::StatusOr<Measurement> measured =
      MeasureCalls(test, SettingOf(arguments.sought.build, *sought), arguments.runs);
  if (!measured.ok()) return Abort(measured.status());
  if (!measured->skipped.empty()) return Skip(measured->skipped);
  const absl::StatusOr<Level> level = LevelOf(levels, measured->counts);
  if (!level.ok()) return Skip(level.status().message());
  const bool is_old = *level == Level::kOld;
  const int printed = PrintOutput(absl::StrCat("the count is ", CountText(measured->counts.front()),
                                               is_old ? ": old\n" : ": new\n"));
  if (printed != kExitOk) return kJudgeAbort;
  return is_old ? kJudgedOld : kJudgedNew;
}

}  // namespace

void AddBisectJudgeCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      kJudgeCommand,
      "Test whether the checked-out commit has the old or the new count, for `git bisect run`\n"
      "Exits with 0 for the old count, 1 for the new one, 125 for a commit that cannot be tested, "
      "and 128 for an error, which ends `git bisect run`. Runs Bazel in the current folder.");
  auto arguments = std::make_shared<JudgeArguments>();
  command->add_option("--before", arguments->before, "Old count (default: from the finding)")
      ->type_name("CALLS");
  command->add_option("--after", arguments->after, "New count (default: from the finding)")
      ->type_name("CALLS");
  command->add_option("--runs", arguments->runs, "Number of runs of the test; all must agree")
      ->check(CLI::Range(1u, 100u))
      ->capture_default_str();
  command
      ->add_option("--folder", arguments->folder,
                   "Folder for Bazel's log and events (default: a folder in the user's cache)")
      ->type_name("FOLDER");
  AddSoughtOptions(*command, arguments->sought);
  SetExamples(*command, {"git bisect start HEAD 3fa41c2",
                         "git bisect run gprofhub bisect-judge --target //db:query_test --function "
                         "parse --before 10 --after 80"});
  command->callback([arguments, &run] {
    CheckSoughtOptions(arguments->sought);
    const bool has_both = arguments->before.has_value() && arguments->after.has_value();
    if (arguments->sought.finding.empty() && !has_both) {
      throw CLI::ValidationError("--function", "needs --before and --after");
    }
    if (!arguments->sought.finding.empty() && arguments->sought.report.empty()) {
      throw CLI::ValidationError("--finding", "needs --report");
    }
    run = [arguments] { return RunJudge(*arguments); };
  });
}

}  // namespace gprofhub::cli
