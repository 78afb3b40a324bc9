#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "cli/client/output.h"
#include "cli/commands.h"
#include "cli/live_process.h"
#include "profile/recording/reader.h"

namespace gprofhub::cli {

namespace {

using Json = nlohmann::ordered_json;

struct LiveArguments {
  pid_t pid = 0;
  std::string verb;
  std::string output;
  std::string format = "text";
  std::string every = "60s";
  WindowsOptions windows;
};

// The bytes of the recording as it is now. If the process responds, it first flushes its buffers;
// without that, samples of the last 16 ms of each thread may be missing.
absl::StatusOr<std::string> Snapshot(LiveProcess& process) {
  process.Request(GPROFHUB_REQUEST_TAKE, kLongestRequest).IgnoreError();
  return process.ReadRecordingBytes();
}

absl::Status Dump(LiveProcess& process, const LiveArguments& arguments) {
  ASSIGN_OR_RETURN(const std::string bytes, Snapshot(process));
  std::string output = arguments.output;
  if (output.empty()) {
    output = absl::StrCat(process.FileStem(), ".gprofhub-dump");
  }
  RETURN_IF_ERROR(WriteFile(output, bytes));
  PrintOutput(absl::StrCat(base::Printable(output), "\n"));
  return absl::OkStatus();
}

absl::Status PrintStatus(LiveProcess& process, const LiveArguments& arguments) {
  ASSIGN_OR_RETURN(const std::string bytes, Snapshot(process));
  ASSIGN_OR_RETURN(const profile::Recording recording,
                   profile::ReadRecording(bytes, process.recording()));
  uint64_t calls = 0;
  for (const profile::RecordedModule& module : recording.modules) {
    for (const profile::RawArc& arc : module.profile.arcs) calls += arc.count;
  }
  const std::string since = absl::FormatTime(
      absl::RFC3339_sec, absl::FromUnixSeconds(static_cast<int64_t>(recording.start_seconds)),
      absl::UTCTimeZone());
  const Json json = {{"schema", 1},
                     {"pid", process.pid()},
                     {"recording", process.recording()},
                     {"profiling", !process.IsOff()},
                     {"since", since},
                     {"resets", process.Resets()},
                     {"threads", recording.threads},
                     {"calls", calls},
                     {"samples", recording.samples},
                     {"sampled_cpu_seconds", recording.cpu_seconds}};
  if (arguments.format == "json") {
    PrintOutput(JsonText(json));
    return absl::OkStatus();
  }
  PrintOutput(absl::StrCat("process: ", process.pid(),
                           "\nrecording: ", base::Printable(process.recording()),
                           "\nprofiling: ", process.IsOff() ? "off" : "on", "\nsince: ", since,
                           "\nthreads: ", recording.threads, "\ncalls: ", calls,
                           "\nsamples: ", recording.samples, "\n"));
  return absl::OkStatus();
}

absl::Status Windows(LiveProcess& process, const LiveArguments& arguments) {
  WindowsOptions options = arguments.windows;
  if (!absl::ParseDuration(arguments.every, &options.every) ||
      options.every < absl::Milliseconds(1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--every=", base::Printable(arguments.every),
                     ": invalid duration; use for example 60s or 5m"));
  }
  return WriteWindows(process, options, [](const std::string& path) {
    PrintOutput(absl::StrCat(base::Printable(path), "\n"));
  });
}

absl::Status Carry(LiveProcess& process, const LiveArguments& arguments) {
  if (arguments.verb == "status") return PrintStatus(process, arguments);
  if (arguments.verb == "dump") return Dump(process, arguments);
  if (arguments.verb == "windows") return Windows(process, arguments);
  const gprofhub_request request = arguments.verb == "start"  ? GPROFHUB_REQUEST_START
                                   : arguments.verb == "stop" ? GPROFHUB_REQUEST_STOP
                                                              : GPROFHUB_REQUEST_RESET;
  return process.Request(request, kLongestRequest);
}

int RunLive(const LiveArguments& arguments) {
  absl::StatusOr<LiveProcess> process = LiveProcess::Open(arguments.pid);
  if (!process.ok()) return ReportStatus(process.status());
  return ReportStatus(Carry(*process, arguments));
}

}  // namespace

void AddLiveCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command =
      app.add_subcommand("live", "Start, stop, reset or copy the profile of a running program");
  auto arguments = std::make_shared<LiveArguments>();
  command
      ->add_option("pid", arguments->pid, "Process id; its program must contain gprofhub's runtime")
      ->required()
      ->check(CLI::PositiveNumber);
  command
      ->add_option("verb", arguments->verb,
                   "start, stop: counting and sampling; reset: discard all data so far; dump: copy "
                   "the current recording; status: print whether profiling is on, and totals; "
                   "windows: write one file per interval of --every")
      ->required()
      ->check(CLI::IsMember({"start", "stop", "reset", "dump", "status", "windows"}));
  command->add_option(
      "--output", arguments->output,
      "File that dump writes (default: <program>.<pid>.gprofhub-dump in the current directory)");
  command->add_option("--format", arguments->format, "Output format of status")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_option("--every", arguments->every, "Length of a window")->capture_default_str();
  command->add_option("--count", arguments->windows.count,
                      "Number of windows (default: until the process ends)");
  command->add_option(
      "--output-dir", arguments->windows.directory,
      "Output directory of windows, created if needed (default: the current directory)");
  SetExamples(*command, {"gprofhub live 4711 status", "gprofhub live 4711 stop",
                         "gprofhub live 4711 dump --output before.gprofhub-dump",
                         "gprofhub live 4711 windows --every 60s --output-dir windows"});
  command->callback([arguments, &run] { run = [arguments] { return RunLive(*arguments); }; });
}

}  // namespace gprofhub::cli
