#include <CLI/CLI.hpp>

#include "absl/status/statusor.h"
#include "ci/upload/results/ci_systems.h"
#include "ci/upload/results/detect_run.h"
#include "cli/commands.h"

namespace gprofhub::cli {

namespace {

int PrintBazelStatus() {
  const ci::RunSources sources = ci::LocalSources(".");
  const absl::StatusOr<ci::DetectedRun> run = ci::DetectRun({}, sources);
  if (!run.ok()) {
    // --build_metadata may name the commit; the machine is known here only.
    v1::RunInfo info;
    if (const auto cpuinfo = sources.read_file("/proc/cpuinfo"); cpuinfo.ok()) {
      info.set_machine(ci::MachineKind(*cpuinfo));
    }
    PrintOutput(ci::WorkspaceStatus(info) + ci::NoCommitStatus(run.status()));
    return ReportStatus(run.status());
  }
  for (const std::string& warning : run->warnings) Warn(warning);
  return PrintOutput(ci::WorkspaceStatus(run->info));
}

}  // namespace

void AddBazelStatusCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "bazel-status",
      "Print commit, branch, base and pull request of a build for Bazel's workspace status");
  SetExamples(*command, {"gprofhub bazel-status"});
  command->callback([&run] { run = PrintBazelStatus; });
}

}  // namespace gprofhub::cli
