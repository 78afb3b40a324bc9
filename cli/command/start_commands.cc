#include "cli/command/start_commands.h"

#include <unistd.h>

#include <climits>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace gprofhub::cli {
namespace {

constexpr char kThisProgram[] = "/proc/self/exe";
constexpr char kLoader[] = "lib/ld-linux-x86-64.so.2";
constexpr char kCommands[] = "gprofhub_commands";

// The cache of the system's libraries is of no use: they are of another C library.
std::vector<std::string> StartByLoader(const std::string& loader, const std::string& folder,
                                       const std::string& name) {
  return {loader, "--inhibit-cache", "--library-path", folder + "lib", "--argv0",
          name,   folder + kCommands};
}

}  // namespace

std::vector<std::string> StartCommands(const std::string& folder, const std::string& name) {
  const std::string loader = folder + kLoader;
  if (access(loader.c_str(), X_OK) == 0) return StartByLoader(loader, folder, name);
  return {folder + kCommands};
}

std::vector<std::string> StartThisAgain() {
  char self[PATH_MAX];
  const ssize_t length = readlink(kThisProgram, self, sizeof self);
  absl::string_view path(self, length > 0 ? static_cast<size_t>(length) : 0);
  // The kernel's suffix for a file that was removed or replaced; the program now at this path is
  // started.
  absl::ConsumeSuffix(&path, " (deleted)");
  if (!absl::ConsumeSuffix(&path, kLoader) || !absl::EndsWith(path, "/")) return {kThisProgram};
  return StartByLoader(kThisProgram, std::string(path), kCommands);
}

}  // namespace gprofhub::cli
