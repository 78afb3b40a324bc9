// The parsed command line of GNU gprof 2.40, with the additions of `gprofhub gprof`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/listing/options.h"
#include "cli/gprof/options/source_places.h"
#include "cli/gprof/options/symspec_arguments.h"

namespace gprofhub::cli {

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
