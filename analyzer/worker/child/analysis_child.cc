#include "analyzer/worker/child/analysis_child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "analyzer/worker/child/limits.h"
#include "analyzer/worker/child/messages.h"
#include "analyzer/worker/child/serve_analyses.h"
#include "base/system/file_descriptor.h"

namespace gprofhub::analyzer {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Interval at which a wait checks the stop condition.
constexpr int kLookMs = 50;

// The rest of the server's environment may be secret.
constexpr const char* kKeptVariables[] = {"LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS",
                                          "UBSAN_OPTIONS"};

std::vector<std::string> ChildEnvironment() {
  std::vector<std::string> kept;
  for (const char* name : kKeptVariables) {
    const char* const value = std::getenv(name);
    if (value != nullptr) kept.push_back(absl::StrCat(name, "=", value));
  }
  return kept;
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// posix_spawn's two structures for a child with `socket` as its kChildSocket and nothing else.
class SpawnPlan {
 public:
  explicit SpawnPlan(int socket) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, socket, kChildSocket);
    // The server blocks some signals and ignores others.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  // 0, or an errno.
  int Spawn(std::vector<std::string> command, pid_t& pid) const {
    std::vector<std::string> environment = ChildEnvironment();
    return posix_spawn(&pid, command[0].c_str(), &actions_, &attributes_, Pointers(command).data(),
                       Pointers(environment).data());
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

std::string HowItEnded(int status, const ChildOptions& options) {
  if (WIFEXITED(status)) {
    if (WEXITSTATUS(status) == kExitNoMemory) {
      return absl::StrCat("it needs more than ", options.memory >> 20, " MiB of memory");
    }
    return absl::StrCat("it ended with code ", WEXITSTATUS(status));
  }
  const int signal = WTERMSIG(status);
  switch (signal) {
    case SIGXCPU:
      return absl::StrCat("it took more than ", absl::FormatDuration(options.cpu),
                          " of processor time");
    case SIGSYS:
      return "it made a system call that is not allowed";
    case SIGKILL:
      return "it was killed, perhaps because the machine had no memory left";
    default:
      return absl::StrCat("it crashed (signal ", signal, ", ", strsignal(signal), ")");
  }
}

// The value of a processor time clock.
absl::Duration TimeOn(clockid_t clock) {
  timespec time = {};
  if (clock_gettime(clock, &time) != 0) return absl::ZeroDuration();
  return absl::DurationFromTimespec(time);
}

}  // namespace

bool ArgumentsOf(int argc, char** argv, int& parent, uint64_t& memory) {
  return argc >= 3 && absl::SimpleAtoi(argv[argc - 2], &parent) &&
         absl::SimpleAtoi(argv[argc - 1], &memory);
}

AnalysisChild::~AnalysisChild() {
  if (pid_ > 0) End();
}

absl::Status AnalysisChild::Start() {
  std::array<int, 2> ends = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return absl::UnavailableError(absl::StrCat("no socket: ", std::strerror(errno)));
  }
  base::FileDescriptor ours(ends[0]);
  const base::FileDescriptor theirs(ends[1]);
  // Above all descriptors that the file actions create.
  const base::FileDescriptor moved(fcntl(theirs.value(), F_DUPFD_CLOEXEC, kChildSocket + 1));
  if (moved.value() < 0) return absl::UnavailableError("no descriptor is left");
  std::vector<std::string> command = {options_.program};
  command.insert(command.end(), options_.arguments.begin(), options_.arguments.end());
  command.push_back(absl::StrCat(getpid()));
  command.push_back(absl::StrCat(options_.memory));
  pid_t pid = -1;
  if (const int error = SpawnPlan(moved.value()).Spawn(std::move(command), pid); error != 0) {
    return absl::UnavailableError(absl::StrCat(options_.program, ": ", std::strerror(error)));
  }
  pid_ = pid;
  jobs_ = 0;
  channel_ = std::make_unique<Channel>(
      ours.Release(), [this](int socket, short events) { return Wait(socket, events); });
  return absl::OkStatus();
}

absl::Status AnalysisChild::Prepare(const std::function<bool()>& stopping) {
  if (pid_ > 0 && jobs_ >= options_.jobs) End();
  // A child that ended while idle.
  if (pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) {
    pid_ = -1;
    channel_.reset();
  }
  if (pid_ > 0) return absl::OkStatus();
  absl::Status status = Start();
  if (status.ok()) {
    stopping_ = &stopping;
    deadline_ = SteadyClock::now() + absl::ToChronoNanoseconds(options_.start);
    const absl::StatusOr<Frame> ready = channel_->Receive(/*most_bytes=*/1000);
    if (!ready.ok()) {
      status = Abandon(ready.status());
    } else if (!ready->bytes.empty()) {
      spdlog::warn("analyses run without a filter of system calls: {}", ready->bytes);
    }
  }
  if (status.ok() || absl::IsCancelled(status)) return status;
  return absl::UnavailableError(
      absl::StrCat("the process that analyses cannot be started: ", status.message()));
}

// The limit applies to all jobs of the child, so each job raises it. The hard limit stays, because
// only root could raise it again.
void AnalysisChild::LimitTime() const {
  clockid_t clock;
  if (clock_getcpuclockid(pid_, &clock) != 0) return;
  rlimit limit;
  if (prlimit(pid_, RLIMIT_CPU, nullptr, &limit) != 0) return;
  const absl::Duration until = absl::Ceil(TimeOn(clock) + options_.cpu, absl::Seconds(1));
  limit.rlim_cur = static_cast<rlim_t>(absl::ToInt64Seconds(until));
  prlimit(pid_, RLIMIT_CPU, &limit, nullptr);
}

absl::Status AnalysisChild::Wait(int socket, short events) const {
  while (true) {
    if ((*stopping_)()) return absl::CancelledError("the worker is stopping");
    if (SteadyClock::now() >= deadline_) return absl::DeadlineExceededError("");
    pollfd ready = {socket, events, 0};
    if (poll(&ready, 1, kLookMs) > 0) return absl::OkStatus();
  }
}

std::string AnalysisChild::End() {
  // If the process closed its socket because it is exiting, its exit status is preserved.
  kill(pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  channel_.reset();
  return HowItEnded(status, options_);
}

absl::Status AnalysisChild::Abandon(const absl::Status& why) {
  const std::string ended = End();
  if (absl::IsCancelled(why)) return why;
  std::string reason(why.message());
  if (absl::IsUnavailable(why)) reason = ended;
  if (absl::IsDeadlineExceeded(why)) {
    reason = absl::StrCat("it took longer than ", absl::FormatDuration(options_.longest));
  }
  return absl::AbortedError(absl::StrCat("the analysis was ended: ", reason));
}

absl::StatusOr<store::AnalysisResult> AnalysisChild::Analyze(
    const AnalysisInput& input, const ReadBlob& read, const std::function<bool()>& stopping) {
  if (absl::Status status = Prepare(stopping); !status.ok()) return status;
  stopping_ = &stopping;
  deadline_ = SteadyClock::now() + absl::ToChronoNanoseconds(options_.longest);
  read_error_ = absl::OkStatus();
  ++jobs_;
  LimitTime();
  return Converse(input, read);
}

absl::Status AnalysisChild::GiveBlob(const std::string& name, const AnalysisInput& input,
                                     const ReadBlob& read) {
  const bool named = std::any_of(input.data.profiles.begin(), input.data.profiles.end(),
                                 [&name](const store::TargetData::Profile& profile) {
                                   return profile.bundle == name || profile.profile.data == name;
                                 });
  if (!named) return absl::InternalError("it asked for what is not its job's");
  const absl::StatusOr<std::string> bytes = read(name);
  if (bytes.ok()) return channel_->Send(kBlob, *bytes);
  read_error_ = bytes.status();
  return channel_->Send(kReadFailed, EncodeError(bytes.status()));
}

absl::StatusOr<store::AnalysisResult> AnalysisChild::Converse(const AnalysisInput& input,
                                                              const ReadBlob& read) {
  absl::Status status = channel_->Send(kJob, EncodeInput(input));
  ResultReader result(input);
  while (status.ok()) {
    absl::StatusOr<Frame> frame = channel_->Receive(result.MostBytes());
    if (!frame.ok()) return Abandon(frame.status());
    if (frame->kind == kRead) {
      status = GiveBlob(frame->bytes, input, read);
      continue;
    }
    // The child is in order, even if the data is not.
    const bool failed = frame->kind == kFailed;
    const absl::StatusOr<bool> complete = result.Take(*std::move(frame));
    if (complete.ok() && *complete) return result.TakeResult();
    if (failed) return read_error_.ok() ? complete.status() : read_error_;
    status = complete.status();
  }
  return Abandon(status);
}

}  // namespace gprofhub::analyzer
