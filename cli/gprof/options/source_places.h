// Possible locations of a source file that the debug information names.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gprofhub::cli {

// From --path-map: paths in the folder `from` are looked for in the folder `to`.
struct PathMapping {
  std::string from;
  std::string to;
};

struct SourceSearch {
  std::vector<PathMapping> path_map;
  std::vector<std::string> directories;  // of -I and of GPROF_PATH
  // Directories in which Bazel may have compiled, best first.
  std::vector<std::string> bazel_roots;
};

// Paths to try, in this order: as the debug information has it; as --path-map has it; by its
// name alone in the directories, as GNU gprof does; and, for Bazel's compilations (whose paths
// begin with /proc/self/cwd), in Bazel's directories.
std::vector<std::string> SourcePlaces(const std::string& path, const SourceSearch& search);

// The directories in which Bazel may have compiled the image: its workspace, as `bazel run` reports
// it (empty: not known), and the execution root that the image lies in (output_base/execroot/NAME,
// https://bazel.build/remote/output-directories), links followed.
std::vector<std::string> BazelRoots(const std::string& image, const char* workspace);

}  // namespace gprofhub::cli
