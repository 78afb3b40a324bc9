#include "analyzer/worker/analysis_child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
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
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "analyzer/worker/limits.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "base/word_pointers.h"
#include "profile/codec/series.h"

namespace gprofhub::analyzer {

namespace {

constexpr size_t kStep = 1 << 20;

using Header = std::array<uint64_t, 2>;

}  // namespace

Channel::~Channel() { close(socket_); }

absl::Status Channel::Ready(short events) const {
  return wait_ ? wait_(socket_, events) : absl::OkStatus();
}

absl::Status Channel::SendAll(const char* data, size_t size) {
  const int flags = MSG_NOSIGNAL | (wait_ ? MSG_DONTWAIT : 0);
  while (size > 0) {
    RETURN_IF_ERROR(Ready(POLLOUT));
    const ssize_t sent = send(socket_, data, size, flags);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent < 0) return absl::UnavailableError(absl::StrCat("sending: ", std::strerror(errno)));
    data += sent;
    size -= static_cast<size_t>(sent);
  }
  return absl::OkStatus();
}

absl::Status Channel::ReceiveAll(char* data, size_t size) {
  while (size > 0) {
    RETURN_IF_ERROR(Ready(POLLIN));
    const ssize_t got = recv(socket_, data, size, wait_ ? MSG_DONTWAIT : 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return absl::UnavailableError(absl::StrCat("receiving: ", std::strerror(errno)));
    if (got == 0) return absl::UnavailableError("the peer closed the connection");
    data += got;
    size -= static_cast<size_t>(got);
  }
  return absl::OkStatus();
}

absl::Status Channel::Send(uint64_t kind, absl::string_view bytes) {
  const Header header = {kind, bytes.size()};
  RETURN_IF_ERROR(SendAll(reinterpret_cast<const char*>(header.data()), sizeof header));
  return SendAll(bytes.data(), bytes.size());
}

absl::StatusOr<Frame> Channel::Receive(uint64_t most_bytes) {
  Header header = {};
  RETURN_IF_ERROR(ReceiveAll(reinterpret_cast<char*>(header.data()), sizeof header));
  const uint64_t size = header[1];
  if (size > most_bytes) {
    return absl::OutOfRangeError(
        absl::StrCat("frame too large: ", size, " bytes; the limit is ", most_bytes));
  }
  Frame frame;
  frame.kind = header[0];
  while (frame.bytes.size() < size) {
    const size_t at = frame.bytes.size();
    const size_t step = std::min<size_t>(kStep, size - at);
    frame.bytes.resize(at + step);
    RETURN_IF_ERROR(ReceiveAll(frame.bytes.data() + at, step));
  }
  return frame;
}

namespace {

using Json = nlohmann::json;

constexpr size_t kMostMessageBytes = 10000;

Json ToJson(const store::TargetData::Profile& profile) {
  const store::ExecutionRecord& execution = profile.execution;
  return {execution.run_number,    execution.shard,          execution.attempt,
          profile.profile.process, profile.profile.build_id, profile.profile.data,
          profile.bundle};
}

store::TargetData::Profile ToProfile(const Json& json) {
  store::TargetData::Profile profile;
  profile.execution.run_number = json.at(0);
  profile.execution.shard = json.at(1);
  profile.execution.attempt = json.at(2);
  profile.profile.process = json.at(3);
  profile.profile.build_id = json.at(4);
  profile.profile.data = json.at(5);
  profile.bundle = json.at(6);
  return profile;
}

template <typename Number>
std::string Packed(Number number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof number);
}

// Reads a number from the front of `bytes` and removes it; false if they are too short.
template <typename Number>
bool Unpack(absl::string_view& bytes, Number& number) {
  if (bytes.size() < sizeof number) return false;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return true;
}

absl::Status Nonsense(absl::string_view what) {
  return absl::InternalError(absl::StrCat("invalid response of the analysis process: ", what));
}

bool IsErrorCode(int32_t code) {
  return code > 0 && code <= static_cast<int32_t>(absl::StatusCode::kUnauthenticated);
}

constexpr std::pair<store::ProfileKind, absl::string_view> kKinds[] = {
    {store::ProfileKind::kCounted, "counted"},
    {store::ProfileKind::kSampled, "sampled"},
    {store::ProfileKind::kWindow, "window"},
};

std::string KindName(store::ProfileKind kind) {
  for (const auto& [known, name] : kKinds) {
    if (known == kind) return std::string(name);
  }
  return "";
}

absl::StatusOr<store::ProfileKind> KindOf(const std::string& name) {
  for (const auto& [kind, known] : kKinds) {
    if (known == name) return kind;
  }
  return absl::InternalError(absl::StrCat("job with an unknown kind of profiles: ", name));
}

}  // namespace

std::string EncodeInput(const AnalysisInput& input) {
  Json profiles = Json::array();
  for (const store::TargetData::Profile& profile : input.data.profiles) {
    profiles.push_back(ToJson(profile));
  }
  const Json json = {{"run", input.run_id},
                     {"target", input.target},
                     {"kind", KindName(input.profile_kind)},
                     {"without_profiles", input.data.without_profiles},
                     {"profiles", std::move(profiles)}};
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

absl::StatusOr<AnalysisInput> DecodeInput(absl::string_view bytes) try {
  const Json json = Json::parse(bytes.begin(), bytes.end());
  AnalysisInput input;
  input.run_id = json.at("run");
  input.target = json.at("target");
  ASSIGN_OR_RETURN(const store::ProfileKind kind, KindOf(json.at("kind")));
  input.profile_kind = kind;
  input.data.without_profiles = json.at("without_profiles");
  for (const Json& profile : json.at("profiles")) {
    input.data.profiles.push_back(ToProfile(profile));
  }
  return input;
} catch (const Json::exception& exception) {
  return absl::InternalError(absl::StrCat("cannot parse the job: ", exception.what()));
}

std::string EncodeError(const absl::Status& error) {
  return absl::StrCat(Packed(static_cast<int32_t>(error.code())),
                      error.message().substr(0, kMostMessageBytes));
}

absl::Status DecodeError(absl::string_view bytes) {
  int32_t code = 0;
  if (!Unpack(bytes, code) || !IsErrorCode(code)) return Nonsense("an error without a code");
  return absl::Status(static_cast<absl::StatusCode>(code),
                      base::ToUtf8(bytes.substr(0, kMostMessageBytes)));
}

std::string EncodeSegment(const store::PointSegment& segment) {
  return absl::StrCat(Packed(segment.bucket), segment.payload);
}

uint64_t ResultReader::MostBytes() const {
  return std::max<uint64_t>(kMostResultBytes - bytes_, kMostMessageBytes + sizeof(int32_t));
}

absl::Status ResultReader::TakeSegment(const std::string& bytes) {
  store::PointSegment segment;
  segment.run_id = input_.run_id;
  segment.target = input_.target;
  absl::string_view rest = bytes;
  if (!Unpack(rest, segment.bucket)) return Nonsense("a segment without a bucket");
  if (segment.bucket >= profile::kSeriesBuckets)
    return Nonsense("a segment with an unknown bucket");
  for (const store::PointSegment& other : result_.segments) {
    if (other.bucket == segment.bucket) return Nonsense("a second segment of one bucket");
  }
  segment.payload = std::string(rest);
  result_.segments.push_back(std::move(segment));
  return absl::OkStatus();
}

absl::StatusOr<bool> ResultReader::Take(Frame frame) {
  bytes_ += frame.bytes.size();
  if (bytes_ > kMostResultBytes) {
    return absl::OutOfRangeError(
        absl::StrCat("the result has more than ", kMostResultBytes, " bytes"));
  }
  switch (frame.kind) {
    case kFailed:
      return DecodeError(frame.bytes);
    case kComputed:
      if (has_computed_) return Nonsense("two results");
      has_computed_ = true;
      result_.computed.bytes = std::move(frame.bytes);
      return false;
    case kSegment:
      RETURN_IF_ERROR(TakeSegment(frame.bytes));
      return false;
    case kDone:
      if (!has_computed_) return Nonsense("an end without a result");
      return true;
    default:
      return Nonsense(absl::StrCat("a message of unknown kind ", frame.kind));
  }
}

store::AnalysisResult ResultReader::TakeResult() {
  result_.computed.name = base::Sha256Hex(result_.computed.bytes);
  return std::move(result_);
}

namespace {

// The server's messages are trusted, and bounded by the server's own upload limits.
constexpr uint64_t kAnySize = UINT64_MAX;

absl::StatusOr<std::string> ReadThrough(Channel& channel, const store::BlobName& name) {
  RETURN_IF_ERROR(channel.Send(kRead, name));
  ASSIGN_OR_RETURN(Frame answer, channel.Receive(kAnySize));
  if (answer.kind == kBlob) return std::move(answer.bytes);
  return DecodeError(answer.bytes);
}

absl::Status SendResult(Channel& channel, const absl::StatusOr<store::AnalysisResult>& result) {
  if (!result.ok()) return channel.Send(kFailed, EncodeError(result.status()));
  absl::Status status = channel.Send(kComputed, result->computed.bytes);
  for (const store::PointSegment& segment : result->segments) {
    if (status.ok()) status = channel.Send(kSegment, EncodeSegment(segment));
  }
  return status.ok() ? channel.Send(kDone, "") : status;
}

absl::Status DoJob(Channel& channel, const Frame& job, const Analyze& analyze) {
  const absl::StatusOr<AnalysisInput> input = DecodeInput(job.bytes);
  if (!input.ok()) return SendResult(channel, input.status());
  const auto read = [&channel](const store::BlobName& name) { return ReadThrough(channel, name); };
  // The server stops an analysis by ending this process.
  return SendResult(channel, analyze(*input, read, [] { return false; }));
}

}  // namespace

void ServeAnalyses(int parent, uint64_t memory, const Analyze& analyze) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have ended before that.
  if (getppid() != parent) _exit(0);
  close_range(kChildSocket + 1, ~0U, 0);
  Channel channel(kChildSocket, /*wait=*/nullptr);
  const absl::Status limited = EnterLimits(kChildSocket, memory);
  absl::Status status = channel.Send(kReady, limited.message());
  while (status.ok()) {
    const absl::StatusOr<Frame> job = channel.Receive(kAnySize);
    if (!job.ok()) break;
    status = DoJob(channel, *job, analyze);
  }
  // The server has exited, or no longer needs this child. Nothing needs cleanup, and destructors
  // may make system calls that are not allowed.
  _exit(0);
}

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
    return posix_spawn(&pid, command[0].c_str(), &actions_, &attributes_,
                       base::WordPointers(command).data(), base::WordPointers(environment).data());
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
    return absl::StrCat("it exited with code ", WEXITSTATUS(status));
  }
  const int signal = WTERMSIG(status);
  switch (signal) {
    case SIGXCPU:
      return absl::StrCat("it took more than ", absl::FormatDuration(options.cpu),
                          " of processor time");
    case SIGSYS:
      return "it made a system call that is not allowed";
    case SIGKILL:
      return "it was killed, possibly because the machine was out of memory";
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
    return absl::UnavailableError(
        absl::StrCat("cannot create a socket pair: ", std::strerror(errno)));
  }
  base::FileDescriptor ours(ends[0]);
  const base::FileDescriptor theirs(ends[1]);
  // Above all descriptors that the file actions create.
  const base::FileDescriptor moved(fcntl(theirs.value(), F_DUPFD_CLOEXEC, kChildSocket + 1));
  if (moved.value() < 0) return absl::UnavailableError("no file descriptors left");
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
      spdlog::warn("analyses run without a system call filter: {}", ready->bytes);
    }
  }
  if (status.ok() || absl::IsCancelled(status)) return status;
  return absl::UnavailableError(
      absl::StrCat("cannot start the analysis process: ", status.message()));
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
  return absl::AbortedError(absl::StrCat("the analysis was stopped: ", reason));
}

absl::StatusOr<store::AnalysisResult> AnalysisChild::Analyze(
    const AnalysisInput& input, const ReadBlob& read, const std::function<bool()>& stopping) {
  RETURN_IF_ERROR(Prepare(stopping));
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
  if (!named) return absl::InternalError("it requested a blob that is not part of its job");
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
