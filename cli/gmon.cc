#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "cli/client/output.h"
#include "cli/client/profiles.h"
#include "cli/commands.h"
#include "profile/gmon/writer.h"

namespace gprofhub::cli {

namespace {

struct GmonArguments {
  std::vector<std::string> recordings;
  std::string output_directory;
};

bool HasData(const profile::RecordedModule& module) {
  if (module.is_program || !module.profile.arcs.empty() || !module.profile.blocks.empty()) {
    return true;
  }
  return !module.profile.histograms.empty();
}

// <module>.<build-id>.gmon.<pid>, as the runtime names them (docs/runtime.md).
std::string FileName(const profile::RecordedModule& module, uint32_t pid) {
  const std::string base = std::filesystem::path(module.path).filename().string();
  return absl::StrCat(base.empty() ? "module" : base, ".",
                      module.build_id.empty() ? "unknown" : module.build_id, ".gmon.", pid);
}

// A pid may repeat among recordings: the second file of a name gets a number.
std::filesystem::path FreeName(const std::filesystem::path& directory, const std::string& name,
                               std::vector<std::string>& taken) {
  std::string candidate = name;
  for (int i = 1; std::find(taken.begin(), taken.end(), candidate) != taken.end(); ++i) {
    candidate = absl::StrCat(name, ".", i);
  }
  taken.push_back(candidate);
  return directory / candidate;
}

// One file per module with data; appends their names to `names`.
absl::Status WriteGmons(const profile::Recording& recording, const std::string& directory,
                        std::vector<std::string>& taken, std::string& names) {
  for (const profile::RecordedModule& module : recording.modules) {
    if (!HasData(module)) continue;
    ASSIGN_OR_RETURN(const std::string gmon, profile::WriteGmon(module.profile));
    const std::filesystem::path output =
        FreeName(directory, FileName(module, recording.pid), taken);
    RETURN_IF_ERROR(WriteFile(output.string(), gmon));
    absl::StrAppend(&names, base::Printable(output.string()), "\n");
  }
  return absl::OkStatus();
}

int RunGmon(const GmonArguments& arguments) {
  std::error_code error;
  std::filesystem::create_directories(arguments.output_directory, error);
  std::vector<std::string> taken;
  std::string names;
  for (const std::string& path : arguments.recordings) {
    const absl::Status status =
        ReadRecordingFile(path, [&](const std::string&, const profile::Recording& recording) {
          return WriteGmons(recording, arguments.output_directory, taken, names);
        });
    if (!status.ok()) return ReportStatus(status);
  }
  return PrintOutput(names);
}

}  // namespace

void AddGmonCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "gmon", "Convert recordings to gmon.out files, one per module, and print their names");
  auto arguments = std::make_shared<GmonArguments>();
  command->add_option("recordings", arguments->recordings, "Files named *.gprofhub")->required();
  command
      ->add_option("--output-dir", arguments->output_directory,
                   "Output directory; created if needed")
      ->required();
  SetExamples(*command, {"gprofhub gmon parser_test.4711.gprofhub --output-dir profiles"});
  command->callback([arguments, &run] { run = [arguments] { return RunGmon(*arguments); }; });
}

}  // namespace gprofhub::cli
