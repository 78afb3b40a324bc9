// Names that a test's label and its undeclared outputs have in Bazel's events and folders.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::ci {

// The folder of a test below bazel-testlogs, and the path of its program below bazel-bin:
// "pkg/sub/name" for //pkg/sub:name, "external/repo/pkg/name" for @repo//pkg:name and
// @@repo//pkg:name.
std::string FolderOfLabel(absl::string_view label);

// Whether the name of an output is a plain relative path. Names of outputs appear in messages and
// on the server.
bool IsPlainPath(absl::string_view name);

// Parses a profile's file name; nullopt if the file is not a profile.
struct ProfileName {
  std::string build_id;
  std::string program;  // its file's name; empty if the profile's name has none
};

// Takes the last component of a path: "<program>.<build-id>.gmon.<pid>"
// (runtime/gmon/placement.h), "gmon.out", "gmon.out.<pid>", "gmon.<pid>", or the
// runtime's recording, "<program>.<pid>.gprofhub" (recordings.h).
std::optional<ProfileName> ParseProfileName(absl::string_view base_name);

}  // namespace gprofhub::ci
