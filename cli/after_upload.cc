#include "cli/after_upload.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "cli/client/judge_run.h"
#include "cli/client/make_report.h"
#include "cli/client/policy_file.h"
#include "cli/client/query_client.h"

namespace gprofhub::cli {

namespace {

// The worse of two outcomes: failed is worse than incomplete.
int Worse(int a, int b) {
  if (a == kExitOk) return b;
  if (b == kExitOk) return a;
  if (a == kExitIncomplete) return b;
  return a;
}

// The report on a run that is analysed. Its baseline may still be under analysis.
absl::StatusOr<v1::Report> AwaitReport(QueryClient& client, const v1::Run& run, bool all_times,
                                       absl::Time give_up) {
  v1::CompareRequest request;
  request.set_head(run.run_id());
  request.set_all_times(all_times);
  for (;;) {
    absl::StatusOr<v1::Report> report = client.Call(&QueryStub::Compare, request);
    // Waiting cannot give sampled stacks exact counts, or a window a baseline.
    if (!absl::IsFailedPrecondition(report.status()) || run.info().profile_kind() != v1::COUNTED ||
        absl::Now() >= give_up) {
      return report;
    }
    absl::SleepFor(kPollInterval);
  }
}

int ReportAndCheck(const ServerOptions& server, const v1::Report& report,
                   const reporter::Policy& policy, const AfterUploadOptions& options) {
  int outcome = kExitOk;
  if (options.report) {
    ReportOutputOptions output;
    output.format = options.format;
    outcome = PrintReport(report, output, server.project);
  }
  if (!options.check) return outcome;
  const absl::StatusOr<reporter::GateResult> gate = JudgeRun(report, policy, server);
  if (!gate.ok()) return Worse(outcome, ReportStatus(gate.status()));
  if (options.report) {
    std::cerr << RenderGate(*gate, "text", OwnersHere(policy));
  } else {
    outcome = PrintOutput(RenderGate(*gate, options.format, OwnersHere(policy)));
  }
  return Worse(outcome, ExitCodeOf(*gate));
}

}  // namespace

void AddAfterUploadOptions(CLI::App& command, AfterUploadOptions& options) {
  const std::string group = "After the upload";
  command.add_flag("--wait", options.wait, "Wait until the run is analysed")->group(group);
  command.add_option("--wait-timeout", options.wait_seconds, "Maximum total wait in seconds")
      ->check(CLI::Range(0u, 86400u))
      ->capture_default_str()
      ->group(group);
  command
      .add_flag("--report", options.report,
                "Wait, then print the run's report against its baseline, as `gprofhub report`")
      ->group(group);
  command
      .add_flag("--check", options.check,
                "Wait, then check the run against the repository's gate, as `gprofhub check`, and "
                "exit with its code")
      ->group(group);
  command
      .add_option("--policy", options.policy_file,
                  absl::StrCat("Policy file of --check (default: ", reporter::kPolicyFile,
                               " in the current directory or above it, if it exists)"))
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--format", options.format,
                  "Format of stdout: of the report, else of the check, else of the upload summary "
                  "(text or json)")
      ->check(CLI::IsMember({"text", "json", "markdown", "codequality"}))
      ->capture_default_str();
}

void CheckFormat(const AfterUploadOptions& options) {
  if (options.format == "markdown" && !options.report) {
    throw CLI::ValidationError("--format", "markdown is a format of --report");
  }
  if (options.format == "codequality" && (options.report || !options.check)) {
    throw CLI::ValidationError("--format", "codequality is a format of --check without --report");
  }
}

int RunAfterUpload(const ServerOptions& server, const std::set<std::string>& run_ids,
                   const reporter::Policy& policy, const AfterUploadOptions& options) {
  QueryClient client(server);
  const absl::Time give_up = absl::Now() + absl::Seconds(options.wait_seconds);
  const auto list = [&]() -> absl::StatusOr<v1::ListRunsResponse> {
    v1::ListRunsResponse runs;
    for (const std::string& run_id : run_ids) {
      v1::GetRunRequest request;
      request.set_run(run_id);
      ASSIGN_OR_RETURN(v1::Run run, client.Call(&QueryStub::GetRun, request));
      *runs.add_runs() = std::move(run);
    }
    return runs;
  };
  const absl::StatusOr<v1::ListRunsResponse> runs = AwaitAnalysis(list, options.wait_seconds);
  if (!runs.ok()) return ReportStatus(runs.status());
  int outcome = FailedTargets(*runs) > 0 ? kExitIncomplete : kExitOk;
  for (const v1::Run& run : runs->runs()) {
    if (!options.prints()) break;
    const absl::StatusOr<v1::Report> report =
        AwaitReport(client, run, options.report && options.format == "json", give_up);
    if (!report.ok()) return Worse(outcome, ReportStatus(report.status()));
    outcome = Worse(outcome, ReportAndCheck(server, *report, policy, options));
  }
  return outcome;
}

}  // namespace gprofhub::cli
