// The parsed command line of GNU gprof 2.40, with the additions of `gprofhub gprof`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "analyzer/listing/rows.h"

namespace gprofhub::cli {

// Possible locations of a source file that the debug information names.

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

// GNU gprof's tables of the symbols and calls that symspecs name.

// GNU gprof's tables of symspecs.
enum class SymspecTable : uint8_t {
  kIncludeGraph,
  kExcludeGraph,
  kIncludeArcs,
  kExcludeArcs,
  kIncludeFlat,
  kExcludeFlat,
  kIncludeTime,
  kExcludeTime,
  kIncludeAnnotated,
  kExcludeAnnotated,
  kIncludeCounts,
  kExcludeCounts,
};

// The two tables of one purpose.
struct ChoiceTables {
  SymspecTable include;
  SymspecTable exclude;
};

constexpr ChoiceTables TablesOf(analyzer::Choice choice) {
  constexpr ChoiceTables kByChoice[analyzer::kChoices] = {
      {SymspecTable::kIncludeFlat, SymspecTable::kExcludeFlat},
      {SymspecTable::kIncludeGraph, SymspecTable::kExcludeGraph},
      {SymspecTable::kIncludeTime, SymspecTable::kExcludeTime},
      {SymspecTable::kIncludeAnnotated, SymspecTable::kExcludeAnnotated},
      {SymspecTable::kIncludeCounts, SymspecTable::kExcludeCounts},
  };
  return kByChoice[static_cast<size_t>(choice)];
}

// The symspecs of a command line, as given.

struct SymspecArgument {
  SymspecTable table;
  std::string text;
};

// Each takes only two bytes more than its text, as an @FILE may give millions.
class SymspecArguments {
 public:
  // `text` has no zero bytes.
  void Add(SymspecTable table, absl::string_view text);
  // Returns them in order.
  std::vector<SymspecArgument> All() const;
  // The rows and calls that they choose.
  analyzer::SymspecLists Lists() const;
  // Whether one of them names a file or a line.
  bool NamePlaces() const;

 private:
  using Visit = absl::FunctionRef<void(SymspecTable table, absl::string_view text)>;
  void ForEach(Visit visit) const;

  std::string packed_;  // each: its table, its text, a zero byte
};

// Listings; a set of them is a sum.
enum Listing : unsigned {
  kFlatListing = 1,
  kGraphListing = 2,
  kAnnotatedSource = 4,
  kExecutionCounts = 8,
  kFunctionOrder = 16,
  kFileOrder = 32,
  kFileInfo = 64,
  kSum = 128,
};

enum class ProfileFormat { kAuto, kMagic, kBsd, k44Bsd, kProf };

struct GprofOptions {
  std::string program;               // argv[0]
  analyzer::ListingOptions listing;  // except for symspecs
  SymspecArguments symspecs;
  unsigned wanted = 0;   // requested listings
  unsigned decided = 0;  // requested or excluded listings
  ProfileFormat format = ProfileFormat::kAuto;
  bool static_calls = false;    // -c
  bool all_lines = false;       // -x
  bool separate_files = false;  // -y
  uint64_t min_count = 1;       // -m
  uint64_t table_length = 10;   // -t
  std::string source_path;      // -I: directories, separated by colons
  bool has_source_path = false;
  std::vector<PathMapping> path_map;            // --path-map
  std::optional<std::string> external_symbols;  // -S
  std::string map_file;                         // -R
  uint64_t break_cycles = 0;  // --break-cycles: minimum number of functions; 0: off
  bool cut_cycles = false;    // --cut-cycles: also remove the breaking arcs
  unsigned debug = 0;         // -d: a sum of DebugLevel (debug_dump.h)
  bool sum_series = false;    // --sum-series
  std::string export_format;  // --format=, as given; empty: listings
  std::string image = "a.out";
  // Concatenated, each followed by a zero byte: an @FILE may name millions.
  std::string profiles = {"gmon.out\0", 9};
};

// The names of the profiles, up to the first that cannot be read, which is an error. Later ones are
// not checked.
std::vector<std::string> ReadableProfiles(const GprofOptions& options);

}  // namespace gprofhub::cli
