// The process makes a mark at the end of each window. So the windows are cut by its own count, at
// its own pace, and counts during the copying of a file belong to the next.
#include "cli/live/windows.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "cli/output/write_file.h"
#include "profile/recording/window.h"

namespace gprofhub::cli {
namespace {

constexpr absl::Duration kLongest = absl::Seconds(10);

std::string FileName(const LiveProcess& process, absl::string_view end) {
  const std::string name = std::filesystem::path(process.recording()).filename().string();
  return absl::StrCat(absl::StripSuffix(name, ".gprofhub"), ".", end, ".gprofhub-window");
}

absl::Status WriteWindow(const LiveProcess& process, const WindowsOptions& options,
                         const profile::RecordingWindow& window,
                         absl::FunctionRef<void(const std::string& path)> say) {
  absl::StatusOr<std::string> bytes = process.ReadRecordingBytes();
  if (!bytes.ok()) return bytes.status();
  // The slot may have been reused for another mark during the copy.
  if (window.since != 0 && !process.HasMark(window.since)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "mark ", window.since, " of process ", process.pid(), " is gone: ", GPROFHUB_MARKS,
        " are kept, and GPROFHUB_WINDOW or somebody else makes them more often than --every"));
  }
  absl::StatusOr<std::string> cut =
      profile::CutWindow(*bytes, process.recording(), window, absl::Now());
  if (!cut.ok()) return cut.status();
  const std::string end = window.until == 0 ? "end" : absl::StrCat(window.until);
  const std::string path =
      (std::filesystem::path(options.directory) / FileName(process, end)).string();
  if (absl::Status status = WriteFile(path, *cut); !status.ok()) return status;
  say(path);
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteWindows(LiveProcess& process, const WindowsOptions& options,
                          absl::FunctionRef<void(const std::string& path)> say) {
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  absl::StatusOr<uint64_t> mark = process.Mark(kLongest);
  if (!mark.ok()) return mark.status();
  profile::RecordingWindow window = {*mark, 0};
  for (uint64_t written = 0; options.count == 0 || written < options.count; ++written) {
    const uint32_t resets = process.Resets();
    bool has_ended = process.WaitForEnd(options.every);
    if (!has_ended) {
      mark = process.Mark(kLongest);
      has_ended = absl::IsUnavailable(mark.status());
      if (!mark.ok() && !has_ended) return mark.status();
    }
    // After a reset, the counts since then are all there is.
    if (process.Resets() != resets) window.since = 0;
    window.until = has_ended ? 0 : *mark;
    if (absl::Status status = WriteWindow(process, options, window, say); !status.ok()) {
      return status;
    }
    if (has_ended) return absl::OkStatus();
    window.since = window.until;
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::cli
