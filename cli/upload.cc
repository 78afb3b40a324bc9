#include "ci/upload/upload.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "ci/upload/collector_client.h"
#include "ci/upload/image_search.h"
#include "ci/upload/results/ci_systems.h"
#include "ci/upload/results/detect_run.h"
#include "ci/upload/results/test_events.h"
#include "ci/upload/results/testlogs.h"
#include "cli/after_upload.h"
#include "cli/client/judge_run.h"
#include "cli/client/output.h"
#include "cli/client/policy_file.h"
#include "cli/client/query_client.h"
#include "cli/commands.h"
#include "reporter/gate/policy.h"

namespace gprofhub::cli {

namespace {

constexpr uint64_t kMaxBuildEventBytes = 1ULL << 30;
constexpr auto kKeepUnusedBundles = std::chrono::hours(30 * 24);

struct UploadArguments {
  ServerOptions server;
  ci::RunFlags run;
  std::string build_events;
  std::string testlogs;
  std::vector<std::string> profiles;
  std::string target;
  std::vector<std::string> images;
  std::string workspace;
  int timeout_seconds = 300;
  bool dry_run = false;
  bool window = false;
  AfterUploadOptions after;
};

// The executions of the files on the command line.
struct Executions {
  std::vector<ci::TestAttempt> attempts;
  std::string workspace;  // the folder to ask git in
  // Of the build events; empty and 0 otherwise.
  std::string invocation_id;
  int64_t started_unix_ms = 0;
};

// As named, else where Bazel ran, else here.
std::string WorkspaceFor(const UploadArguments& arguments, const std::string& of_bazel) {
  if (!arguments.workspace.empty()) return arguments.workspace;
  std::error_code error;
  if (!of_bazel.empty() && std::filesystem::is_directory(of_bazel, error)) return of_bazel;
  return ".";
}

absl::StatusOr<Executions> ReadExecutions(const UploadArguments& arguments) {
  Executions executions;
  executions.workspace = WorkspaceFor(arguments, "");
  if (!arguments.build_events.empty()) {
    ASSIGN_OR_RETURN(const std::string bytes,
                     base::ReadFile(arguments.build_events, kMaxBuildEventBytes));
    ASSIGN_OR_RETURN(ci::BuildLog log, ci::ParseBuildEvents(bytes, arguments.build_events));
    executions.attempts = std::move(log.attempts);
    executions.invocation_id = log.invocation_id;
    executions.workspace = WorkspaceFor(arguments, log.workspace_directory);
    ci::FindOutputsHere(executions.workspace, executions.attempts);
    executions.started_unix_ms = log.started_unix_ms;
    return executions;
  }
  if (!arguments.testlogs.empty()) {
    ASSIGN_OR_RETURN(ci::TestLogs logs, ci::FindInTestLogs(arguments.testlogs));
    executions.attempts = std::move(logs.attempts);
    for (const std::string& note : logs.notes) {
      Warn(note);
    }
    return executions;
  }
  ci::TestAttempt attempt;
  const bool is_label = absl::StartsWith(arguments.target, "//") || arguments.target[0] == '@';
  attempt.label = is_label ? arguments.target : "//:" + arguments.target;
  attempt.status = "NO_STATUS";
  attempt.outputs = arguments.profiles;
  executions.attempts.push_back(std::move(attempt));
  return executions;
}

absl::StatusOr<v1::RunInfo> DescribeRun(const UploadArguments& arguments,
                                        const Executions& executions) {
  ci::RunFlags flags = arguments.run;
  flags.info.set_project(arguments.server.project);
  const ci::RunSources sources = ci::LocalSources(executions.workspace);
  ASSIGN_OR_RETURN(ci::DetectedRun run, ci::DetectRun(flags, sources));
  for (const std::string& warning : run.warnings) {
    Warn(warning);
  }
  v1::RunInfo info = std::move(run.info);
  if (info.run_key().empty()) info.set_run_key(executions.invocation_id);
  if (arguments.window) {
    info.set_profile_kind(v1::WINDOW);  // whose key is derived from its contents
  } else if (info.run_key().empty()) {
    info.set_run_key(run.ci_job_key);
  }
  info.set_started_unix_ms(executions.started_unix_ms);
  RETURN_IF_ERROR(ci::CompleteRun(executions.attempts, info));
  return info;
}

ci::ClientOptions MakeClientOptions(const UploadArguments& arguments, ProgressLine& progress) {
  ci::ClientOptions options;
  options.token = TokenSourceOf(arguments.server);
  options.call_timeout = absl::Seconds(arguments.timeout_seconds);
  options.explain_unavailable = [server = arguments.server] { return WhyNoAnswer(server); };
  options.sleep = absl::SleepFor;
  // Several threads send.
  options.random = [mutex = std::make_shared<absl::Mutex>(),
                    generator = std::make_shared<std::mt19937>(std::random_device()())] {
    absl::MutexLock lock(mutex.get());
    return std::uniform_real_distribution<double>(0, 1)(*generator);
  };
  options.notify = [&progress](const std::string& text) {
    progress.Note(absl::StrCat("gprofhub: ", text));
  };
  return options;
}

int ExitCodeOf(const ci::UploadSummary& summary) {
  if (!summary.status.ok()) return ReportStatus(summary.status);
  if (summary.executions == 0 && summary.skipped.empty()) {
    return ReportStatus(absl::NotFoundError(
        summary.without_profiles == 0
            ? "no test was run; build with `bazel test --config=gprof`"
            : "no test wrote a profile on this machine; run the tests with `bazel test "
              "--config=gprof`, without --remote_download_minimal, and install `zip`, with which "
              "Bazel packs profiles, on the machine that runs them"));
  }
  if (summary.executions == 0) {
    return ReportStatus(absl::FailedPreconditionError("nothing could be uploaded"));
  }
  return summary.skipped.empty() ? kExitOk : kExitIncomplete;
}

// Sends the executions, or, in a dry run, does everything else.
ci::UploadSummary Upload(const UploadArguments& arguments, ci::UploadPlan plan) {
  ci::ImageSearch search(arguments.images);
  ci::ImageBundles bundles(ci::DefaultBundleFolder(ci::ProcessEnvironment()));
  bundles.RemoveUnused(std::filesystem::file_time_type::clock::now() - kKeepUnusedBundles);
  ProgressLine progress(std::cerr, StderrIsTerminal());
  ci::UploadSteps steps = {search, bundles, nullptr,
                           [&progress](size_t done, size_t total, const std::string& what) {
                             progress.Show(absl::StrCat("[", done, "/", total, "] ", what));
                           }};
  std::unique_ptr<ci::CollectorClient> client;
  if (!arguments.dry_run) {
    client = std::make_unique<ci::CollectorClient>(
        v1::Collector::NewStub(Connect(arguments.server)), arguments.server.server,
        MakeClientOptions(arguments, progress));
    steps.send = [&client](const v1::UploadHeader& header, const ci::BlobBytes& blobs) {
      return client->Upload(header, blobs);
    };
  }
  const std::string project = plan.run.project();
  ci::UploadSummary summary = ci::UploadAttempts(std::move(plan), steps);
  if (client == nullptr || !summary.status.ok()) return summary;
  for (const std::string& run_id : summary.run_ids) {
    const absl::Status finished = client->FinishRun(project, run_id);
    if (finished.ok()) continue;
    progress.Note(absl::StrCat(
        "gprofhub: the report on run ", run_id,
        " is delayed by a few seconds: the server was not notified that the upload is complete: ",
        finished.message()));
  }
  return summary;
}

// To stderr where stdout is the report's or the check's.
int PrintSummary(const ci::UploadSummary& summary, const std::string& commit,
                 const UploadArguments& arguments) {
  if (arguments.after.prints()) {
    std::cerr << UploadSummaryText(summary, commit, arguments.dry_run);
    return kExitOk;
  }
  return arguments.after.format == "json"
             ? PrintOutput(UploadSummaryJson(summary, commit, arguments.dry_run))
             : PrintText(UploadSummaryText(summary, commit, arguments.dry_run));
}

int UploadRun(const UploadArguments& arguments) {
  absl::StatusOr<reporter::Policy> policy = reporter::Policy();
  if (arguments.after.check) policy = ReadPolicyFile(arguments.after.policy_file);
  if (!policy.ok()) return ReportUsage(policy.status());
  const absl::StatusOr<Executions> executions = ReadExecutions(arguments);
  if (!executions.ok()) return ReportStatus(executions.status());
  const absl::StatusOr<v1::RunInfo> run = DescribeRun(arguments, *executions);
  if (!run.ok()) return ReportStatus(run.status());
  const ci::UploadSummary summary = Upload(arguments, {*run, executions->attempts});
  for (const std::string& reason : summary.skipped) {
    std::cerr << "gprofhub: skipped: " << base::Printable(reason) << "\n";
  }
  const int printed = PrintSummary(summary, run->commit(), arguments);
  const int sent = printed != kExitOk ? printed : ExitCodeOf(summary);
  if ((sent != kExitOk && sent != kExitIncomplete) || !arguments.after.any()) return sent;
  const int then = RunAfterUpload(arguments.server, summary.run_ids, *policy, arguments.after);
  return then == kExitOk ? sent : then;
}

// Windows are a run each.
int RunUpload(const UploadArguments& arguments) {
  if (!arguments.window) return UploadRun(arguments);
  for (const std::string& file : arguments.profiles) {
    UploadArguments one = arguments;
    one.profiles = {file};
    if (const int code = UploadRun(one); code != kExitOk) return code;
  }
  return kExitOk;
}

void AddRunOptions(CLI::App& upload, ci::RunFlags& run) {
  const std::string group = "Build (default: from the CI system, else from git)";
  const auto add = [&](const char* name, std::string& value, const char* description) {
    upload.add_option(name, value, description)->group(group);
  };
  add("--commit", *run.info.mutable_commit(), "Commit of the build");
  add("--branch", *run.info.mutable_branch(), "Branch of the commit");
  add("--base-commit", *run.info.mutable_base_commit(),
      "Commit to compare with (default: the merge base)");
  add("--target-branch", run.target_branch, "Target branch of the pull or merge request");
  add("--pull-request", *run.info.mutable_pull_request(), "Number of the pull or merge request");
  add("--title", *run.info.mutable_title(), "Title of the pull or merge request");
  add("--ci-link", *run.info.mutable_ci_link(), "URL of the CI job");
  add("--configuration", *run.info.mutable_configuration(),
      "Name of the build configuration (default: that of Bazel)");
  add("--machine", *run.info.mutable_machine(),
      "Kind of machine the tests ran on (default: this machine's processor)");
  add("--run-key", *run.info.mutable_run_key(),
      "Name of this run (default: Bazel's invocation id)");
  upload
      .add_flag_callback(
          "--from-fork", [&run] { run.info.set_from_fork(true); }, "The change is from a fork")
      ->group(group);
}

void AddRerunOptions(CLI::App& upload, v1::RunInfo& run) {
  const std::string group = "Reruns of tests";
  CLI::Option* const expects =
      upload
          .add_flag_callback(
              "--expect-rerun", [&run] { run.set_rerun(v1::EXPECTS_RERUN); },
              "The tests that `gprofhub rerun-list` prints will be rerun and uploaded with "
              "--rerun: until then, at most half an hour, no notification of a possible "
              "alarm is sent")
          ->group(group);
  upload
      .add_flag_callback(
          "--rerun", [&run] { run.set_rerun(v1::IS_RERUN); },
          "The tests are reruns of tests of a run of this commit")
      ->group(group)
      ->excludes(expects);
}

// Inputs of an upload: build events, a tree of test logs, or single files.
struct InputOptions {
  CLI::Option* events;
  CLI::Option* testlogs;
  CLI::Option* profiles;

  bool AreGiven() const { return events->count() + testlogs->count() + profiles->count() > 0; }
};

InputOptions AddInputOptions(CLI::App& upload, UploadArguments& arguments) {
  InputOptions inputs = {};
  inputs.events =
      upload
          .add_option("--bep", arguments.build_events,
                      "Build event file that Bazel wrote with --build_event_binary_file")
          ->type_name("FILE");
  inputs.testlogs = upload
                        .add_option("--testlogs", arguments.testlogs,
                                    "bazel-testlogs folder, if there is no build event file")
                        ->type_name("DIR");
  inputs.profiles =
      upload
          .add_option("profiles", arguments.profiles,
                      "Single profiles, one process each; or stacks sampled by perf, folded or as "
                      "`perf script` prints them, for function orderings")
          ->type_name("FILE");
  CLI::Option* target =
      upload.add_option("--target", arguments.target, "Test of the single profiles")
          ->type_name("LABEL");
  inputs.events->excludes(inputs.testlogs)->excludes(inputs.profiles);
  inputs.testlogs->excludes(inputs.profiles);
  inputs.profiles->needs(target);
  target->needs(inputs.profiles);
  upload
      .add_option("--image", arguments.images,
                  "Program or library that ran, if it is not found automatically (repeatable)")
      ->allow_extra_args(false)  // what follows its one file is a profile
      ->type_name("FILE");
  upload
      .add_option("--workspace", arguments.workspace,
                  "Git work tree of the build (default: the directory in which Bazel ran)")
      ->type_name("DIR");
  return inputs;
}

}  // namespace

void AddUploadCommand(CLI::App& app, CommandMain& run) {
  CLI::App* upload =
      app.add_subcommand("upload", "Upload the profiles of a `bazel test --config=gprof`");
  auto arguments = std::make_shared<UploadArguments>();
  AddServerOptions(*upload, arguments->server);
  const InputOptions inputs = AddInputOptions(*upload, *arguments);
  upload
      ->add_option("--timeout", arguments->timeout_seconds,
                   "Timeout in seconds of the upload of one execution")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  CLI::Option* dry_run =
      upload->add_flag("--dry-run", arguments->dry_run, "Do everything except the upload");
  AddAfterUploadOptions(*upload, arguments->after);
  for (const char* name : {"--wait", "--report", "--check"}) {
    dry_run->excludes(upload->get_option(name));
  }
  AddRunOptions(*upload, arguments->run);
  AddRerunOptions(*upload, arguments->run.info);
  CLI::Option* window =
      upload
          ->add_flag("--window", arguments->window,
                     "Each file is a window of a running program (`gprofhub live PID windows`): "
                     "its run can be viewed, and is never compared")
          ->needs(inputs.profiles);
  for (const char* name :
       {"--bep", "--testlogs", "--run-key", "--report", "--check", "--expect-rerun", "--rerun"}) {
    window->excludes(upload->get_option(name));
  }
  SetExamples(*upload,
              {"bazel test --config=gprof --build_event_binary_file=build.bep //...",
               "gprofhub upload --bep build.bep", "gprofhub upload --bep build.bep --check",
               "gprofhub upload --bep build.bep --report --check --format=markdown > report.md",
               "gprofhub upload --server https://gprofhub.example --bep build.bep",
               "gprofhub upload --testlogs bazel-testlogs --dry-run",
               "gprofhub upload --target //db:query_test --image bazel-bin/db/query_test gmon.out",
               "perf script -i perf.data > production.stacks",
               "gprofhub upload --target //db:production --image /srv/db production.stacks",
               "gprofhub live 4711 windows --output-dir windows",
               "gprofhub upload --window --target //db:server --image server windows/*"});
  upload->callback([arguments, inputs, &run] {
    CheckFormat(arguments->after);
    if (!inputs.AreGiven()) throw CLI::RequiredError("one of --bep, --testlogs or profiles");
    run = [arguments] { return RunUpload(*arguments); };
  });
}

}  // namespace gprofhub::cli
