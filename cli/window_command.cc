#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "cli/client/output.h"
#include "cli/commands.h"
#include "profile/recording/reader.h"
#include "profile/recording/shared.h"
#include "profile/recording/window.h"

namespace gprofhub::cli {

namespace {

struct WindowArguments {
  std::string recording;
  std::string output;
  std::optional<uint64_t> since;
  uint64_t until = 0;
};

// The default: everything since the last mark but one. So it is a whole window of the process and
// the begun part of the next.
uint64_t SinceOf(const std::vector<profile::RecordingMark>& marks) {
  if (marks.empty()) return 0;
  return marks.size() > 1 ? marks[marks.size() - 2].number : marks.back().number;
}

// The recording in the file; of a shared one, that of its only process.
absl::StatusOr<std::string> OnlyProcess(const std::string& bytes, const std::string& path) {
  if (!profile::IsSharedRecording(bytes)) return bytes;
  ASSIGN_OR_RETURN(const std::vector<uint64_t> processes, profile::ProcessesIn(bytes, path));
  if (processes.size() == 1) return profile::RecordingAt(bytes, path, processes[0]);
  return absl::InvalidArgumentError(
      absl::StrCat(path, " has the recordings of ", processes.size(),
                   " processes; set GPROFHUB_PROFILE_DIR for the test, so that each process has a "
                   "file of its own"));
}

absl::Status Cut(const WindowArguments& arguments) {
  ASSIGN_OR_RETURN(const std::string all, base::ReadFile(arguments.recording));
  ASSIGN_OR_RETURN(const std::string bytes, OnlyProcess(all, arguments.recording));
  ASSIGN_OR_RETURN(const profile::Recording recording,
                   profile::ReadRecording(bytes, arguments.recording));
  if (recording.marks.empty()) {
    return absl::NotFoundError(absl::StrCat(
        arguments.recording, ": no marks; run the program with GPROFHUB_WINDOW=60s to make them"));
  }
  // About when its process ended, if it did.
  struct stat file = {};
  if (stat(arguments.recording.c_str(), &file) != 0) {
    return absl::ErrnoToStatus(errno, arguments.recording);
  }
  const profile::RecordingWindow window = {arguments.since.value_or(SinceOf(recording.marks)),
                                           arguments.until};
  ASSIGN_OR_RETURN(const std::string cut, profile::CutWindow(bytes, arguments.recording, window,
                                                             absl::TimeFromTimespec(file.st_mtim)));
  RETURN_IF_ERROR(WriteFile(arguments.output, cut));
  PrintOutput(absl::StrCat(base::Printable(arguments.output), "\n"));
  return absl::OkStatus();
}

}  // namespace

void AddWindowCommand(CLI::App& app, CommandMain& run) {
  CLI::App* command = app.add_subcommand(
      "window", "Extract a window of a recording: its last interval, or the one between two marks");
  auto arguments = std::make_shared<WindowArguments>();
  command->add_option("recording", arguments->recording, "A file named *.gprofhub")->required();
  command->add_option("--since", arguments->since,
                      "Number of the mark at which the window begins (gprofhub info lists them); "
                      "0: the beginning (default: the last mark but one)");
  command->add_option("--until", arguments->until,
                      "Number of the mark at which the window ends (default: the end)");
  command
      ->add_option("--output", arguments->output, "Output file; the window is itself a recording")
      ->required();
  SetExamples(
      *command,
      {"gprofhub window server.4711.gprofhub --output last.gprofhub-window",
       "gprofhub window server.4711.gprofhub --since 7 --until 8 --output minute.gprofhub-window"});
  command->callback(
      [arguments, &run] { run = [arguments] { return ReportStatus(Cut(*arguments)); }; });
}

}  // namespace gprofhub::cli
