// The command line of GNU gprof 2.40, and of what `gprofhub gprof` adds to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analyzer/listing/prepare.h"
#include "cli/gprof/options/symspec_arguments.h"
#include "cli/gprof/options/source_places.h"

namespace gprofhub::cli {

// What can be printed; a set of them is a sum.
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
  analyzer::ListingOptions listing;  // but for symspecs
  SymspecArguments symspecs;
  unsigned wanted = 0;   // listings asked for
  unsigned decided = 0;  // listings asked for or ruled out
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
  unsigned debug = 0;                           // -d: a sum of levels (traces/levels.h); 0: none
  bool sum_series = false;                      // --sum-series
  std::string export_format;                    // --format=, as given; empty: listings
  std::string image = "a.out";
  // Each with a zero byte behind it: an @FILE may name millions.
  std::string profiles = {"gmon.out", 9};
};

// The names of the profiles, up to the first that cannot be read: it is an error, and what
// follows is not looked at.
std::vector<std::string> ReadableProfiles(const GprofOptions& options);

// How the command line ended: what to do, or the exit code if it is done.
using ParsedOptions = std::variant<GprofOptions, int>;

// Parses what follows the program's name. @FILE arguments are replaced by the
// arguments in the file. Errors go to stderr, --help and --version to stdout,
// as getopt_long and GNU gprof word them.
ParsedOptions ParseGprofOptions(int argc, char** argv);

}  // namespace gprofhub::cli
