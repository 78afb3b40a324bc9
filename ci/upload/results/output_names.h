// Names that a test's label and its undeclared outputs have in Bazel's events and folders.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gprofhub::ci {

// The name that a test has in all data, whichever version of Bazel reports it:
//
//   //pkg:test         @//pkg:test and @@//pkg:test, too
//   @name//pkg:test    @@name//, @@name+//, @@name+1.2// (Bazel 8 and later), @@name~//,
//   @@name~1.2//
//                      (Bazel 7): the name that people write, without the version of the module
//   @@module++extension+name//pkg:test
//                      of a repository that a module extension made; @@module~~extension~name// and
//                      @@module~1.2~extension~name//, too. Only the full name is unique. The
//                      spelling is that of Bazel 8, without the version of the module.
//   @@+extension+name//pkg:test
//                      of an extension of the main module; @@_main~extension~name//, too
//
// Tests of two versions of a module in one build have the same name. Any other text is returned
// unchanged.
std::string ApparentLabel(absl::string_view label);

// The folder of a test below bazel-testlogs, and the path of its program below bazel-bin, for a
// label as Bazel writes it: "pkg/sub/name" for //pkg/sub:name, "external/name+/pkg/test" for
// @@name+//pkg:test.
std::string FolderOfLabel(absl::string_view label);

// The ApparentLabel of the test with this folder, whose components are `parts`; at least one.
std::string LabelOfFolder(std::vector<std::string> parts);

// Whether the name of an output is a plain relative path. Names of outputs appear in messages and
// on the server.
bool IsPlainPath(absl::string_view name);

// Whether Bazel's events give this name to a test's undeclared outputs as a whole: an archive
// ("test.outputs__outputs.zip") or a folder ("test.outputs").
bool IsAllOutputs(absl::string_view event_name);

// The path of a single undeclared output, relative to the outputs: "sub/x" for "test.outputs/sub/x"
// in Bazel's events. Empty for any other name.
absl::string_view OutputOf(absl::string_view event_name);

// Whether the last component of the path is the name of a profile (ParseProfileName).
bool IsProfile(absl::string_view path);

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
