// `gprofhub`: gprof itself, and the door to all other commands.
//
// gprof is a small program that people and scripts start often; the other commands need gRPC,
// databases and TLS, whose ninety libraries take longer to load than gprof takes to run. So this
// program contains gprof alone, linked statically, and execs gprofhub_commands for the rest; for
// gprof's -c too, whose instruction decoder is a shared library. gprofhub_commands is in the same
// folder, as Bazel builds it, or, installed, in ../libexec/gprofhub/, perhaps with libraries of its
// own.
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "cli/command/command.h"
#include "cli/gprof/command.h"

namespace {

constexpr char kInstalled[] = "../libexec/gprofhub/";

std::string_view LastComponent(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

// Does not return if there is such a program.
void Become(const std::vector<std::string>& start, char** argv) {
  std::vector<char*> words;
  for (const std::string& word : start) words.push_back(const_cast<char*>(word.c_str()));
  // A program that is started as any other has the caller's argv[0].
  if (start.size() == 1) words[0] = argv[0];
  for (char** rest = argv + 1; *rest != nullptr; ++rest) words.push_back(*rest);
  words.push_back(nullptr);
  execv(start.front().c_str(), words.data());
}

// Returns only after a failure, which it reports.
int BecomeCommands(char** argv) {
  char self[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  std::string folder(self, length > 0 ? static_cast<size_t>(length) : 0);
  folder.resize(folder.find_last_of('/') + 1);
  const std::vector<std::string> beside = gprofhub::cli::StartCommands(folder, argv[0]);
  Become(beside, argv);
  if (errno == ENOENT) Become(gprofhub::cli::StartCommands(folder + kInstalled, argv[0]), argv);
  std::fprintf(stderr, "gprofhub: cannot start %s: %s; install it in the directory of gprofhub\n",
               beside.back().c_str(), std::strerror(errno));
  return gprofhub::cli::kExitFailure;
}

int RunGprof(int argc, char** argv) {
  static char self[] = "gprofhub";
  std::vector<char*> as_command = {self};
  as_command.insert(as_command.end(), argv, argv + argc + 1);
  return gprofhub::cli::GprofMain(
      argc, argv, [&](const gprofhub::cli::GprofOptions&, const gprofhub::profile::SymbolTable&) {
        BecomeCommands(as_command.data());
        return absl::UnavailableError("gprofhub: calls in code cannot be found without it");
      });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 1) return gprofhub::cli::kExitUsage;
  if (LastComponent(argv[0]) == "gprof") return RunGprof(argc, argv);
  if (argc > 1 && std::string_view(argv[1]) == "gprof") return RunGprof(argc - 1, argv + 1);
  return BecomeCommands(argv);
}
