#include "cli/order/workspace_file.h"

#include <cstdlib>
#include <filesystem>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::cli {
namespace {

namespace fs = std::filesystem;

}  // namespace

absl::StatusOr<std::string> PathOfLabel(absl::string_view label, const std::string& start) {
  const size_t colon = label.find(':');
  if (!absl::StartsWith(label, "//") || colon == absl::string_view::npos ||
      colon + 1 == label.size() || absl::StrContains(label, "..")) {
    return absl::InvalidArgumentError(
        absl::StrCat("--write=", label, ": must be //path:file, a file of this workspace"));
  }
  fs::path root = fs::absolute(start);
  const auto is_root = [](const fs::path& folder) {
    return fs::exists(folder / "WORKSPACE") || fs::exists(folder / "WORKSPACE.bazel") ||
           fs::exists(folder / "MODULE.bazel");
  };
  while (!is_root(root)) {
    if (root == root.parent_path()) {
      return absl::NotFoundError("--write: this folder is in no Bazel workspace");
    }
    root = root.parent_path();
  }
  return (root / std::string(label.substr(2, colon - 2)) / std::string(label.substr(colon + 1)))
      .string();
}

std::string StartFolder() {
  const char* given = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  return given != nullptr ? given : fs::current_path().string();
}

}  // namespace gprofhub::cli
