// Windows of a process that runs: one after the other, each a file of its own.
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/live/live_process.h"

namespace gprofhub::cli {

struct WindowsOptions {
  absl::Duration every;
  uint64_t count = 0;     // windows until the command ends; 0: as long as the process runs
  std::string directory;  // of the files; made if needed
};

// Takes windows of `every` each until their number is reached or the process exits, writes
// <program>.<pid>.<mark>.gprofhub-window, named after the mark at its end, and prints each path. No
// counts are lost between two windows, and the recording is unchanged. The last window ends with
// the process: its name has `.end` in place of a mark. Errors as LiveProcess::Mark's and
// CutWindow's.
absl::Status WriteWindows(LiveProcess& process, const WindowsOptions& options,
                          absl::FunctionRef<void(const std::string& path)> say);

}  // namespace gprofhub::cli
