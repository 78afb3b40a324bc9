#include "cli/commands/info.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "base/printable.h"
#include "cli/local/recording_file.h"

namespace gprofhub::cli {
namespace {

struct InfoArguments {
  std::vector<std::string> recordings;
};

std::string DescribeModule(const profile::RecordedModule& module) {
  uint64_t calls = 0;
  uint64_t periods = 0;
  for (const profile::RawArc& arc : module.profile.arcs) calls += arc.count;
  for (const profile::Histogram& histogram : module.profile.histograms) {
    for (const uint64_t bin : histogram.bins) periods += bin;
  }
  return absl::StrFormat(
      "module: %s\n  build-id: %s\n  arcs: %d\n  calls: %d\n  periods: %d\n  blocks: %d\n",
      absl::CEscape(module.path), module.build_id.empty() ? "none" : module.build_id,
      module.profile.arcs.size(), calls, periods, module.profile.blocks.size());
}

std::string Describe(const std::string& path, const profile::Recording& recording) {
  std::string text = absl::StrFormat(
      "recording: %s\nprogram: %s\npid: %d\nparent pid: %d\nstarted: %s\nend: %s\nthreads: %d\n",
      base::Printable(path), absl::CEscape(recording.program), recording.pid, recording.parent_pid,
      absl::FormatTime(absl::RFC3339_sec,
                       absl::FromUnixSeconds(static_cast<int64_t>(recording.start_seconds)),
                       absl::UTCTimeZone()),
      recording.finished ? "orderly" : "none seen (killed, crashed, _exit, exec, or still running)",
      recording.threads);
  if (recording.rank >= 0) absl::StrAppendFormat(&text, "rank: %d\n", recording.rank);
  absl::StrAppendFormat(&text,
                        "mechanism: %s\ndimension: %s\nrate asked: %d\nrate achieved: %.1f\n",
                        recording.mechanism, absl::CEscape(recording.dimension),
                        recording.rate_asked, recording.rate_achieved);
  absl::StrAppendFormat(&text, "samples: %d\nperiods: %d\nsampled cpu seconds: %.3f\n",
                        recording.samples, recording.periods, recording.cpu_seconds);
  if (recording.finished) {
    absl::StrAppendFormat(&text, "user seconds: %.3f\nsystem seconds: %.3f\n",
                          recording.user_seconds, recording.system_seconds);
  }
  // Left out of the modules' periods, as gprof leaves mcount out.
  const double overhead = static_cast<double>(recording.overhead_samples);
  absl::StrAppendFormat(&text, "profiling overhead: %d periods, %.1f%%\n",
                        recording.overhead_samples,
                        100 * overhead / std::max(1.0, static_cast<double>(recording.periods)));
  uint64_t with_stack = 0;
  for (const profile::ModuleFrame& frame : recording.stacks) with_stack += frame.frame.samples;
  absl::StrAppendFormat(&text, "stack frames: %d\nperiods with stacks: %d\n",
                        recording.stacks.size(), with_stack);
  for (const profile::RecordedModule& module : recording.modules) text += DescribeModule(module);
  absl::StrAppendFormat(&text, "unattributed_calls: %d\nunattributed_samples: %d\n",
                        recording.unattributed_calls, recording.unattributed_samples);
  for (const auto& [name, count] : recording.losses) {
    absl::StrAppendFormat(&text, "%s: %d\n", name, count);
  }
  return text;
}

int RunInfo(const InfoArguments& arguments) {
  for (const std::string& path : arguments.recordings) {
    const absl::StatusOr<profile::Recording> recording = ReadRecordingFile(path);
    if (!recording.ok()) return ReportStatus(recording.status());
    std::cout << Describe(path, *recording);
  }
  std::cout << std::flush;
  return kExitOk;
}

}  // namespace

void AddInfoCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "info", "Print what a recording holds: modules, build-ids, sampling, anything lost");
  auto arguments = std::make_shared<InfoArguments>();
  command->add_option("recordings", arguments->recordings, "Files named *.gprofhub")->required();
  SetExamples(*command, {"gprofhub info parser_test.4711.gprofhub"});
  command->callback([arguments, &run] { run = [arguments] { return RunInfo(*arguments); }; });
}

}  // namespace gprofhub::cli
