#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "base/text.h"
#include "cli/client/output.h"
#include "cli/client/profiles.h"
#include "cli/commands.h"

namespace gprofhub::cli {

namespace {

using Json = nlohmann::ordered_json;

struct InfoArguments {
  std::vector<std::string> recordings;
  std::string format = "text";
};

uint64_t CallsOf(const profile::RecordedModule& module) {
  uint64_t calls = 0;
  for (const profile::RawArc& arc : module.profile.arcs) calls += arc.count;
  return calls;
}

uint64_t PeriodsOf(const profile::RecordedModule& module) {
  uint64_t periods = 0;
  for (const profile::Histogram& histogram : module.profile.histograms) {
    for (const uint64_t bin : histogram.bins) periods += bin;
  }
  return periods;
}

uint64_t PeriodsWithStacks(const profile::Recording& recording) {
  uint64_t periods = 0;
  for (const profile::ModuleFrame& frame : recording.stacks) periods += frame.frame.samples;
  return periods;
}

std::string StartOf(const profile::Recording& recording) {
  return absl::FormatTime(absl::RFC3339_sec,
                          absl::FromUnixSeconds(static_cast<int64_t>(recording.start_seconds)),
                          absl::UTCTimeZone());
}

std::string TimeOf(const profile::RecordingMark& mark) {
  return absl::FormatTime(absl::RFC3339_sec, absl::FromUnixNanos(static_cast<int64_t>(mark.ns)),
                          absl::UTCTimeZone());
}

std::string DescribeModule(const profile::RecordedModule& module) {
  return absl::StrFormat(
      "module: %s\n  build-id: %s\n  arcs: %d\n  calls: %d\n  periods: %d\n  blocks: %d\n",
      absl::CEscape(module.path), module.build_id.empty() ? "none" : module.build_id,
      module.profile.arcs.size(), CallsOf(module), PeriodsOf(module), module.profile.blocks.size());
}

// Unknown parts are left out.
std::string DescribeEnvironment(const profile::Environment& environment) {
  std::string text;
  const auto add = [&](absl::string_view name, const std::string& value) {
    if (!value.empty()) absl::StrAppend(&text, name, ": ", absl::CEscape(value), "\n");
  };
  add("architecture", environment.architecture);
  add("emulator", environment.emulator);
  add("processor", environment.processor);
  add("processor features", environment.features);
  add("GLIBC_TUNABLES", environment.tunables);
  if (environment.processors > 0) {
    absl::StrAppend(&text, "processors allowed: ", environment.processors, "\n");
  }
  return text;
}

std::string Describe(const std::string& path, const profile::Recording& recording) {
  std::string text = absl::StrFormat(
      "recording: %s\nprogram: %s\npid: %d\nparent pid: %d\nstarted: %s\nend: %s\nthreads: %d\n",
      base::Printable(path), absl::CEscape(recording.program), recording.pid, recording.parent_pid,
      StartOf(recording),
      recording.finished ? "orderly" : "none seen (killed, crashed, _exit, exec, or still running)",
      recording.threads);
  if (recording.window_seconds > 0) {
    absl::StrAppendFormat(&text, "window: %.3f seconds\n", recording.window_seconds);
  }
  for (const profile::RecordingMark& mark : recording.marks) {
    absl::StrAppendFormat(&text, "mark: %d, %s\n", mark.number, TimeOf(mark));
  }
  if (recording.rank >= 0) absl::StrAppendFormat(&text, "rank: %d\n", recording.rank);
  text += DescribeEnvironment(recording.environment);
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
  absl::StrAppendFormat(&text, "stack frames: %d\nperiods with stacks: %d\n",
                        recording.stacks.size(), PeriodsWithStacks(recording));
  absl::StrAppendFormat(&text, "functions in order of first call: %d\n",
                        recording.first_calls.size());
  for (const profile::RecordedModule& module : recording.modules) text += DescribeModule(module);
  absl::StrAppendFormat(&text, "unattributed_calls: %d\nunattributed_samples: %d\n",
                        recording.unattributed_calls, recording.unattributed_samples);
  for (const auto& [name, count] : recording.losses) {
    absl::StrAppendFormat(&text, "%s: %d\n", name, count);
  }
  if (const std::string missing = profile::MissingCalls(recording); !missing.empty()) {
    absl::StrAppend(&text, "warning: calls are missing: ", missing, "\n");
  }
  return text;
}

Json ModuleJson(const profile::RecordedModule& module) {
  return {{"path", module.path},
          {"build_id", module.build_id},
          {"is_program", module.is_program},
          {"arcs", module.profile.arcs.size()},
          {"calls", CallsOf(module)},
          {"periods", PeriodsOf(module)},
          {"blocks", module.profile.blocks.size()}};
}

Json EnvironmentJson(const profile::Environment& environment) {
  if (environment.architecture.empty()) return nullptr;
  return {{"architecture", environment.architecture}, {"emulator", environment.emulator},
          {"processor", environment.processor},       {"features", environment.features},
          {"tunables", environment.tunables},         {"processors", environment.processors}};
}

Json RecordingJson(const std::string& path, const profile::Recording& recording) {
  Json json = {{"file", path},
               {"program", recording.program},
               {"pid", recording.pid},
               {"parent_pid", recording.parent_pid},
               {"started", StartOf(recording)},
               {"ended_in_order", recording.finished},
               {"window_seconds", nullptr},
               {"marks", Json::array()},
               {"threads", recording.threads},
               {"rank", nullptr},
               {"environment", EnvironmentJson(recording.environment)},
               {"mechanism", recording.mechanism},
               {"dimension", recording.dimension},
               {"rate_asked", recording.rate_asked},
               {"rate_achieved", recording.rate_achieved},
               {"samples", recording.samples},
               {"periods", recording.periods},
               {"sampled_cpu_seconds", recording.cpu_seconds},
               {"user_seconds", nullptr},
               {"system_seconds", nullptr},
               {"overhead_periods", recording.overhead_samples},
               {"stack_frames", recording.stacks.size()},
               {"periods_with_stacks", PeriodsWithStacks(recording)},
               {"functions_in_order", recording.first_calls.size()},
               {"modules", Json::array()},
               {"unattributed_calls", recording.unattributed_calls},
               {"unattributed_samples", recording.unattributed_samples},
               {"losses", Json::object()}};
  if (recording.window_seconds > 0) json["window_seconds"] = recording.window_seconds;
  for (const profile::RecordingMark& mark : recording.marks) {
    json["marks"].push_back({{"number", mark.number}, {"time", TimeOf(mark)}});
  }
  if (recording.rank >= 0) json["rank"] = recording.rank;
  if (recording.finished) {
    json["user_seconds"] = recording.user_seconds;
    json["system_seconds"] = recording.system_seconds;
  }
  for (const profile::RecordedModule& module : recording.modules) {
    json["modules"].push_back(ModuleJson(module));
  }
  for (const auto& [name, count] : recording.losses) json["losses"][std::string(name)] = count;
  return json;
}

int RunInfo(const InfoArguments& arguments) {
  std::string text;
  Json recordings = Json::array();
  for (const std::string& path : arguments.recordings) {
    const absl::Status status =
        ReadRecordingFile(path, [&](const std::string& name, const profile::Recording& recording) {
          text += Describe(name, recording);
          recordings.push_back(RecordingJson(name, recording));
          return absl::OkStatus();
        });
    if (!status.ok()) return ReportStatus(status);
  }
  if (arguments.format == "text") return PrintText(text);
  return PrintOutput(JsonText(Json({{"schema", 1}, {"recordings", std::move(recordings)}})));
}

}  // namespace

void AddInfoCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "info", "Print the contents of a recording: modules, build-ids, sampling, lost data");
  auto arguments = std::make_shared<InfoArguments>();
  command->add_option("recordings", arguments->recordings, "Files named *.gprofhub")->required();
  command->add_option("--format", arguments->format, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  SetExamples(*command, {"gprofhub info parser_test.4711.gprofhub",
                         "gprofhub info *.gprofhub --format=json"});
  command->callback([arguments, &run] { run = [arguments] { return RunInfo(*arguments); }; });
}

}  // namespace gprofhub::cli
