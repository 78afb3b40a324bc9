// A running process and its recording (profile/format/recording.h): its published state, and
// requests to it. Linux only.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "profile/format/recording.h"

namespace gprofhub::cli {

// The absolute path of the recording that the process writes now. NotFound: no such process, or it
// does not record. PermissionDenied: it belongs to another user.
absl::StatusOr<std::string> FindLiveRecording(pid_t pid);

// Unmaps a recording's header and closes the file.
struct ReleaseRecording {
  int file = -1;
  int process = -1;  // a pidfd
  void operator()(gprofhub_recording* header) const;
};

// How long commands wait for a process to answer a request.
inline constexpr absl::Duration kLongestRequest = absl::Seconds(10);

class LiveProcess {
 public:
  // Opens the recording that the process writes. FailedPrecondition: it has another version.
  static absl::StatusOr<LiveProcess> Open(pid_t pid);

  pid_t pid() const { return pid_; }
  const std::string& recording() const { return recording_; }
  bool IsOff() const;
  uint32_t Resets() const;

  // Sends the request to the process, and waits until it is done. FailedPrecondition: the process
  // does not accept requests. DeadlineExceeded: no answer, because all of its threads block the
  // signal, or another client's request took the whole time. Unavailable: it exited meanwhile.
  absl::Status Request(gprofhub_request request, absl::Duration longest);

  // Has it make a mark (profile/recording/window.h); returns the mark's number. Errors as
  // Request's. ResourceExhausted: its table of marks is full.
  absl::StatusOr<uint64_t> Mark(absl::Duration longest);

  // Whether the mark still exists: another may have replaced it.
  bool HasMark(uint64_t number) const;

  // The whole recording as it is now, also after the process has exited. NotFound: it was removed.
  absl::StatusOr<std::string> ReadRecordingBytes() const;

  // "<program>.<pid>", as in the name of a recording of its own: begins the names of copies.
  std::string FileStem() const;

  // Waits up to `longest` for the process to exit. Returns whether it did.
  bool WaitForEnd(absl::Duration longest) const;

 private:
  // Request's wait, until `end`; `longest` is the caller's timeout.
  absl::Status AwaitAnswer(uint32_t word, absl::Duration longest,
                           std::chrono::steady_clock::time_point end) const;

  pid_t pid_ = 0;
  std::string recording_;
  uint64_t header_offset_ = 0;                                    // not 0 in a shared file
  std::unique_ptr<gprofhub_recording, ReleaseRecording> header_;  // shared with the process
};

// Windows of a process that runs: one after the other, each a file of its own.

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
