// Settings of a repository in its .gprofhub.json, which also contains its gate (reporter/gate).
#pragma once

#include <filesystem>
#include <string>

#include "absl/status/statusor.h"

namespace gprofhub::cli {

inline constexpr char kProjectFile[] = ".gprofhub.json";

// The path of the file in `folder`, else in the nearest folder above it; empty: there is none.
// Folders that all users share, such as /tmp, are passed over on the way up: the file names the
// server that tokens are sent to.
std::string FindProjectFile(const std::filesystem::path& folder = ".");

struct ProjectFile {
  std::string path;
  // As written; empty: not set.
  std::string server;
  std::string project;
};

// Without a path nothing is set. INVALID_ARGUMENT, with the path, if the file is not valid JSON, if
// one of the two fields is not a text, or if another field looks like a misspelling of one.
absl::StatusOr<ProjectFile> ReadProjectFile(const std::string& path);

}  // namespace gprofhub::cli
