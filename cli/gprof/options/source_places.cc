#include "cli/gprof/options/source_places.h"

#include <filesystem>
#include <optional>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace gprofhub::cli {
namespace {

namespace fs = std::filesystem;

// Bazel's toolchains substitute it for the directory of the compilation, which differs between
// machines.
constexpr absl::string_view kBazelFolder = "/proc/self/cwd";

// `path` with the directory `from` replaced by `to`; nullopt if `path` is not below `from`.
std::optional<std::string> Moved(absl::string_view path, absl::string_view from,
                                 absl::string_view to) {
  absl::ConsumeSuffix(&from, "/");
  absl::ConsumeSuffix(&to, "/");
  if (!absl::ConsumePrefix(&path, from) || !absl::ConsumePrefix(&path, "/")) return std::nullopt;
  return absl::StrCat(to, "/", path);
}

std::string NameAlone(absl::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace

std::vector<std::string> SourcePlaces(const std::string& path, const SourceSearch& search) {
  std::vector<std::string> places = {path};
  for (const PathMapping& mapping : search.path_map) {
    if (auto moved = Moved(path, mapping.from, mapping.to)) places.push_back(*std::move(moved));
  }
  for (const std::string& directory : search.directories) {
    places.push_back(absl::StrCat(directory, "/", NameAlone(path)));
  }
  for (const std::string& root : search.bazel_roots) {
    if (auto moved = Moved(path, kBazelFolder, root)) places.push_back(*std::move(moved));
  }
  return places;
}

std::vector<std::string> BazelRoots(const std::string& image, const char* workspace) {
  std::vector<std::string> roots;
  if (workspace != nullptr && *workspace != '\0') roots.emplace_back(workspace);
  std::error_code error;
  const fs::path real = fs::canonical(image, error);
  if (error) return roots;
  for (fs::path folder = real.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (folder.parent_path().filename() == "execroot") {
      roots.push_back(folder);
      break;
    }
  }
  return roots;
}

}  // namespace gprofhub::cli
