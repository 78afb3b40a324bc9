#include "ci/upload/run/git.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/system/file_descriptor.h"

extern char** environ;

namespace gprofhub::ci {
namespace {

// Far above any output needed here.
constexpr size_t kMaxOutput = 8 << 20;

struct Pipe {
  base::FileDescriptor read;
  base::FileDescriptor write;
};

absl::StatusOr<Pipe> MakePipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) {
    return absl::ResourceExhaustedError(absl::StrCat("git: pipe: ", std::strerror(errno)));
  }
  return Pipe{base::FileDescriptor(fds[0]), base::FileDescriptor(fds[1])};
}

using Clock = std::chrono::steady_clock;

// Milliseconds until `end`, for poll; -1: no timeout.
int PollTime(std::optional<Clock::time_point> end) {
  if (!end.has_value()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 60'000));
}

// Reads both pipes concurrently until their ends: reading one after the other would deadlock with a
// child that fills the other. False: the time ended first.
bool Drain(Pipe& output, Pipe& error, std::optional<Clock::time_point> end,
           std::string& output_text, std::string& error_text) {
  std::array<pollfd, 2> waiting = {pollfd{output.read.value(), POLLIN, 0},
                                   pollfd{error.read.value(), POLLIN, 0}};
  std::array<std::string*, 2> texts = {&output_text, &error_text};
  size_t open = waiting.size();
  std::array<char, 16384> buffer;
  while (open > 0) {
    if (end.has_value() && Clock::now() >= *end) return false;
    if (poll(waiting.data(), waiting.size(), PollTime(end)) < 0) {
      if (errno == EINTR) continue;
      return true;
    }
    for (size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      const ssize_t count = read(waiting[i].fd, buffer.data(), buffer.size());
      if (count > 0) {
        if (texts[i]->size() < kMaxOutput) texts[i]->append(buffer.data(), count);
      } else if (count == 0 || errno != EINTR) {
        waiting[i].fd = -1;
        --open;
      }
    }
  }
  return true;
}

absl::StatusOr<std::string> RunGit(const std::string& workspace, absl::Duration longest,
                                   const std::vector<std::string>& arguments) {
  std::optional<Clock::time_point> end;
  if (longest < absl::InfiniteDuration()) end = Clock::now() + absl::ToChronoNanoseconds(longest);
  std::vector<std::string> words = {"git", "-C", workspace};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  absl::StatusOr<Pipe> output = MakePipe();
  if (!output.ok()) return output.status();
  absl::StatusOr<Pipe> error = MakePipe();
  if (!error.ok()) return error.status();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output->write.value(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error->write.value(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // With a timeout git runs in a process group of its own, so that its children are killed, too.
  if (end.has_value()) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int spawned = posix_spawnp(&child, "git", &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (spawned != 0) {
    return absl::NotFoundError(absl::StrCat("git cannot be run: ", std::strerror(spawned)));
  }
  output->write.Close();
  error->write.Close();
  std::string output_text;
  std::string error_text;
  const bool is_over = Drain(*output, *error, end, output_text, error_text);
  if (!is_over) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!is_over) {
    return absl::UnavailableError(absl::StrCat("git ", arguments.empty() ? "" : arguments[0],
                                               ": no end within ", absl::FormatDuration(longest)));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    const std::string first_line = error_text.substr(0, error_text.find('\n'));
    return absl::FailedPreconditionError(
        absl::StrCat("git ", arguments.empty() ? "" : arguments[0], ": ",
                     first_line.empty() ? absl::StrCat("ended with status ", status)
                                        : WithoutCredentials(first_line)));
  }
  return output_text;
}

}  // namespace

GitCommand GitIn(std::string workspace, absl::Duration longest, GitOutput output) {
  return [workspace = std::move(workspace), longest,
          output](const std::vector<std::string>& arguments) {
    absl::StatusOr<std::string> text = RunGit(workspace, longest, arguments);
    if (text.ok() && output == GitOutput::kWithoutTrailingSpace) {
      absl::StripTrailingAsciiWhitespace(&*text);
    }
    return text;
  };
}

std::string WithoutCredentials(const std::string& text) {
  std::string result;
  size_t position = 0;
  while (true) {
    const size_t scheme = text.find("://", position);
    if (scheme == std::string::npos) return result + text.substr(position);
    const size_t authority = scheme + 3;
    const size_t end = text.find_first_of("/?# '\"\n", authority);
    const size_t at = text.substr(0, end).rfind('@');
    result += text.substr(position, authority - position);
    position = at != std::string::npos && at >= authority ? at + 1 : authority;
  }
}

}  // namespace gprofhub::ci
