#include "cli/live_process.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "base/file.h"
#include "base/status_macros.h"
#include "cli/client/output.h"
#include "profile/recording/shared.h"
#include "profile/recording/window.h"

namespace gprofhub::cli {

namespace {

constexpr absl::string_view kEnding = ".gprofhub";
constexpr absl::Duration kLookEvery = absl::Milliseconds(1);  // whether the lock is free

std::string ProcFile(pid_t pid, absl::string_view name) {
  return absl::StrCat("/proc/", pid, "/", name);
}

// The futex word shared with the process.
std::atomic_ref<uint32_t> Word(uint32_t& word) { return std::atomic_ref<uint32_t>(word); }

// Whether a SIGPROF would be handled. A process that does not handle it ends of it: a moment ago it
// may have executed another program.
bool HandlesSignal(pid_t pid) {
  std::ifstream status(ProcFile(pid, "status"));
  std::string line;
  while (std::getline(status, line)) {
    absl::string_view mask = line;
    if (!absl::ConsumePrefix(&mask, "SigCgt:\t")) continue;
    return (std::strtoull(std::string(mask).c_str(), nullptr, 16) >> (SIGPROF - 1) & 1) != 0;
  }
  return false;
}

}  // namespace

namespace {

// A file that the process has mapped, and the parts of it.
struct MappedFile {
  std::string path;
  std::vector<std::pair<uint64_t, uint64_t>> parts;  // offset, bytes
};

// "low-high rw-s offset device inode   path"
std::optional<std::pair<uint64_t, uint64_t>> PartIn(const std::string& line) {
  unsigned long low = 0;
  unsigned long high = 0;
  unsigned long offset = 0;
  if (std::sscanf(line.c_str(), "%lx-%lx rw-s %lx ", &low, &high, &offset) != 3) {
    return std::nullopt;
  }
  return std::make_pair(uint64_t{offset}, uint64_t{high - low});
}

absl::StatusOr<MappedFile> FindMapped(pid_t pid) {
  if (kill(pid, 0) != 0) {
    return errno == EPERM ? absl::PermissionDeniedError(
                                absl::StrCat("process ", pid, " belongs to another user"))
                          : absl::NotFoundError(absl::StrCat("no process ", pid));
  }
  std::ifstream maps(ProcFile(pid, "maps"));
  if (!maps) {
    return absl::PermissionDeniedError(absl::StrCat("cannot read the memory map of process ", pid));
  }
  MappedFile file;
  std::string line;
  while (std::getline(maps, line)) {
    const size_t path = line.find('/');
    if (path == std::string::npos || !absl::EndsWith(line, kEnding)) continue;
    const std::optional<std::pair<uint64_t, uint64_t>> part = PartIn(line);
    if (!part.has_value()) continue;
    if (file.path.empty()) file.path = line.substr(path);
    if (file.path == line.substr(path)) file.parts.push_back(*part);
  }
  if (!file.path.empty()) return file;
  return absl::NotFoundError(
      absl::StrCat("process ", pid,
                   " has no recording; it needs gprofhub's runtime and at least one counted call"));
}

// Offset of the process's header: 0 in a file of its own. In a shared file it is in one of the
// parts that the process has mapped.
absl::StatusOr<uint64_t> HeaderIn(int file, const MappedFile& mapped) {
  ASSIGN_OR_RETURN(const std::string bytes, base::ReadFile(absl::StrCat("/proc/self/fd/", file)));
  if (!profile::IsSharedRecording(bytes)) return 0;
  ASSIGN_OR_RETURN(const std::vector<uint64_t> processes, profile::ProcessesIn(bytes, mapped.path));
  for (const uint64_t at : processes) {
    for (const auto& [offset, size] : mapped.parts) {
      if (at >= offset && at - offset < size) return at;
    }
  }
  return absl::NotFoundError(absl::StrCat(mapped.path, ": the process is not in it"));
}

}  // namespace

absl::StatusOr<std::string> FindLiveRecording(pid_t pid) {
  ASSIGN_OR_RETURN(MappedFile file, FindMapped(pid));
  return std::move(file.path);
}

void ReleaseRecording::operator()(gprofhub_recording* header) const {
  munmap(header, GPROFHUB_PAGE_BYTES);
  close(file);
  close(process);
}

absl::StatusOr<LiveProcess> LiveProcess::Open(pid_t pid) {
  ASSIGN_OR_RETURN(MappedFile mapped, FindMapped(pid));
  std::string& path = mapped.path;
  // As the process sees it: it may have another root.
  const std::string here = absl::StrCat(ProcFile(pid, "root"), path);
  const int file = open(here.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat(path, " cannot be opened"));
  }
  // Names the process itself: not another that gets its number when it has ended.
  const int named = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (named < 0) {
    const absl::Status status =
        absl::ErrnoToStatus(errno, absl::StrCat("cannot open process ", pid));
    close(file);
    return status;
  }
  struct stat state = {};
  void* header = MAP_FAILED;
  absl::StatusOr<uint64_t> at = 0;
  if (fstat(file, &state) == 0 && S_ISREG(state.st_mode) && state.st_size >= GPROFHUB_PAGE_BYTES) {
    at = HeaderIn(file, mapped);
    if (at.ok()) {
      header = mmap(nullptr, GPROFHUB_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                    static_cast<off_t>(*at));
    }
  }
  if (header == MAP_FAILED) {
    close(file);
    close(named);
    if (!at.ok()) return at.status();
    return absl::FailedPreconditionError(absl::StrCat(path, " is not a recording"));
  }
  LiveProcess process;
  process.pid_ = pid;
  process.recording_ = std::move(path);
  process.header_offset_ = *at;
  process.header_ = {static_cast<gprofhub_recording*>(header), ReleaseRecording{file, named}};
  const gprofhub_recording& seen = *process.header_;
  if (std::memcmp(seen.magic, GPROFHUB_RECORDING_MAGIC, sizeof seen.magic) != 0 ||
      seen.version != GPROFHUB_RECORDING_VERSION || seen.byte_order != GPROFHUB_BYTE_ORDER) {
    return absl::FailedPreconditionError(
        absl::StrCat(process.recording_, " is not a recording of this version"));
  }
  return process;
}

bool LiveProcess::IsOff() const { return Word(header_->off).load() != 0; }
uint32_t LiveProcess::Resets() const { return Word(header_->resets).load(); }

absl::Status LiveProcess::Request(gprofhub_request request, absl::Duration longest) {
  if (Word(header_->listens).load() == 0 || !HandlesSignal(pid_)) {
    return absl::FailedPreconditionError(
        absl::StrCat("process ", pid_,
                     " does not accept requests: GPROFHUB_SAMPLER is off, or the program has its "
                     "own SIGPROF handler"));
  }
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + absl::ToChronoNanoseconds(longest);
  // One request at a time. The lock ends with the file, when this process ends at the latest.
  while (flock(header_.get_deleter().file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return absl::ErrnoToStatus(errno, absl::StrCat(recording_, " cannot be locked"));
    }
    if (Clock::now() > end) {
      return absl::DeadlineExceededError(absl::StrCat("another client's request to process ", pid_,
                                                      " is still pending after ",
                                                      absl::FormatDuration(longest)));
    }
    absl::SleepFor(kLookEvery);
  }
  const auto unlock =
      absl::MakeCleanup([file = header_.get_deleter().file] { flock(file, LOCK_UN); });
  const std::atomic_ref<uint32_t> asked = Word(header_->asked);
  uint32_t before = asked.load();
  uint32_t word = 0;
  do {
    word = ((before >> 8) + 1) << 8 | static_cast<uint32_t>(request);
  } while (!asked.compare_exchange_weak(before, word));
  if (kill(pid_, SIGPROF) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot send a signal to process ", pid_));
  }
  return AwaitAnswer(word, longest, end);
}

absl::Status LiveProcess::AwaitAnswer(uint32_t word, absl::Duration longest,
                                      std::chrono::steady_clock::time_point end) const {
  // The process wakes waiters of the futex word, but not if it exits: so the wait is a series of
  // short ones.
  const timespec look = absl::ToTimespec(absl::Milliseconds(100));
  for (uint32_t seen = 0; (seen = Word(header_->answered).load()) != word;) {
    if (WaitForEnd(absl::ZeroDuration())) {
      return absl::UnavailableError(absl::StrCat("process ", pid_, " has ended"));
    }
    if (std::chrono::steady_clock::now() > end) {
      return absl::DeadlineExceededError(
          absl::StrCat("process ", pid_, " did not answer within ", absl::FormatDuration(longest),
                       "; it cannot answer while all its threads block SIGPROF"));
    }
    syscall(SYS_futex, &header_->answered, FUTEX_WAIT, seen, &look, nullptr, 0);
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> LiveProcess::Mark(absl::Duration longest) {
  RETURN_IF_ERROR(Request(GPROFHUB_REQUEST_MARK, longest));
  const uint64_t number = std::atomic_ref<uint64_t>(header_->marks_taken).load();
  if (HasMark(number)) return number;
  return absl::ResourceExhaustedError(
      absl::StrCat("process ", pid_, " cannot write a mark: ", recording_, " cannot be extended"));
}

bool LiveProcess::HasMark(uint64_t number) const {
  gprofhub_mark& mark = header_->marks[(number - 1) % GPROFHUB_MARKS];
  return number != 0 && std::atomic_ref<uint64_t>(mark.number).load() == number;
}

absl::StatusOr<std::string> LiveProcess::ReadRecordingBytes() const {
  ASSIGN_OR_RETURN(std::string bytes,
                   base::ReadFile(absl::StrCat("/proc/self/fd/", header_.get_deleter().file)));
  if (header_offset_ == 0) return bytes;
  return profile::RecordingAt(bytes, recording_, header_offset_);
}

std::string LiveProcess::FileStem() const {
  const std::string name = std::filesystem::path(recording_).filename().string();
  if (header_offset_ == 0) return std::string(absl::StripSuffix(name, kEnding));
  const std::string program(header_->program, strnlen(header_->program, sizeof header_->program));
  return absl::StrCat(std::filesystem::path(program).filename().string(), ".", pid_);
}

bool LiveProcess::WaitForEnd(absl::Duration longest) const {
  pollfd end = {header_.get_deleter().process, POLLIN, 0};
  const timespec time = absl::ToTimespec(longest);
  return ppoll(&end, 1, &time, nullptr) == 1;
}

// The process makes a mark at the end of each window. So the windows are cut by its own count, at
// its own pace, and counts during the copying of a file belong to the next.

namespace {

std::string FileName(const LiveProcess& process, absl::string_view end) {
  return absl::StrCat(process.FileStem(), ".", end, ".gprofhub-window");
}

absl::Status WriteWindow(const LiveProcess& process, const WindowsOptions& options,
                         const profile::RecordingWindow& window,
                         absl::FunctionRef<void(const std::string& path)> say) {
  ASSIGN_OR_RETURN(std::string bytes, process.ReadRecordingBytes());
  // The slot may have been reused for another mark during the copy.
  if (window.since != 0 && !process.HasMark(window.since)) {
    return absl::FailedPreconditionError(
        absl::StrCat("mark ", window.since, " of process ", process.pid(),
                     " was overwritten: only the last ", GPROFHUB_MARKS,
                     " marks are kept, and GPROFHUB_WINDOW or another client makes marks more "
                     "often than --every"));
  }
  ASSIGN_OR_RETURN(std::string cut,
                   profile::CutWindow(bytes, process.recording(), window, absl::Now()));
  const std::string end = window.until == 0 ? "end" : absl::StrCat(window.until);
  const std::string path =
      (std::filesystem::path(options.directory) / FileName(process, end)).string();
  RETURN_IF_ERROR(WriteFile(path, cut));
  say(path);
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteWindows(LiveProcess& process, const WindowsOptions& options,
                          absl::FunctionRef<void(const std::string& path)> say) {
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  absl::StatusOr<uint64_t> mark = process.Mark(kLongestRequest);
  if (!mark.ok()) return mark.status();
  profile::RecordingWindow window = {*mark, 0};
  for (uint64_t written = 0; options.count == 0 || written < options.count; ++written) {
    const uint32_t resets = process.Resets();
    bool has_ended = process.WaitForEnd(options.every);
    if (!has_ended) {
      mark = process.Mark(kLongestRequest);
      has_ended = absl::IsUnavailable(mark.status());
      if (!mark.ok() && !has_ended) return mark.status();
    }
    // After a reset, the counts since then are all there is.
    if (process.Resets() != resets) window.since = 0;
    window.until = has_ended ? 0 : *mark;
    RETURN_IF_ERROR(WriteWindow(process, options, window, say));
    if (has_ended) return absl::OkStatus();
    window.since = window.until;
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::cli
