#include "cli/proxy/companion.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

extern char** environ;

namespace gprofhub::cli {
namespace {

constexpr int kOfSignal = 128;  // as shells have it

// Started as if these signals had never been blocked here.
int Spawn(const std::vector<std::string>& words, pid_t& child) {
  std::vector<std::string> copies = words;
  std::vector<char*> argv;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const int error = posix_spawnp(&child, argv[0], nullptr, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  return error;
}

}  // namespace

CompanionSignals::CompanionSignals() {
  sigemptyset(&signals_);
  for (const int signal : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&signals_, signal);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

absl::StatusOr<int> CompanionSignals::Run(const std::vector<std::string>& words) const {
  pid_t child = 0;
  if (const int error = Spawn(words, child); error != 0) {
    return absl::NotFoundError(
        absl::StrCat(words[0], " cannot be started: ", std::strerror(error)));
  }
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      return WIFEXITED(status) ? WEXITSTATUS(status) : kOfSignal + WTERMSIG(status);
    }
    int signal = 0;
    if (sigwait(&signals_, &signal) == 0 && signal == SIGTERM) kill(child, SIGTERM);
  }
}

void CompanionSignals::AwaitEnd() const {
  int signal = 0;
  do {
    sigwait(&signals_, &signal);
  } while (signal == SIGCHLD);
}

}  // namespace gprofhub::cli
