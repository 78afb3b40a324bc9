// Source files annotated with the number of executions of each line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "analyzer/annotations/block_counts.h"
#include "analyzer/listing/input.h"

namespace gprofhub::analyzer {

struct AnnotationOptions {
  bool all_lines = false;      // repeat a block's count on all of its lines
  bool show_unused = false;    // files without executions too
  uint64_t min_count = 1;      // fewer executions are shown as "#####"
  uint64_t table_length = 10;  // of the table of the most called lines
};

// Execution counts of the parts of a line.
struct LineCounts {
  uint32_t line = 0;
  std::vector<uint64_t> counts;
  bool is_below_minimum = false;  // all of them together: shown as "#####"
};

// The annotation of one source file.
struct SourceAnnotation {
  std::string path;                // as the debug information names it
  std::vector<LineCounts> counts;  // of lines with known counts, ascending
  uint64_t executable_lines = 0;
  uint64_t executions = 0;  // calls of the file's functions
  std::string summary;      // the tables that follow the source
};

// The number of lines of the file at this path; nullopt if it does not exist. Only lines that the
// file has are annotated and summed, as the program may have been built from a longer version.
using FindSourceLines = absl::FunctionRef<std::optional<uint32_t>(const std::string& path)>;
using VisitAnnotation = absl::FunctionRef<void(SourceAnnotation)>;

// Visits the existing files with a called function, in reverse order of ListingRows::FilesInOrder.
void AnnotateSources(const ListingInput& input, const BlockCounts& blocks,
                     const AnnotationOptions& options, FindSourceLines find_lines,
                     VisitAnnotation visit);

// The file's text with its annotation, and the summary.
std::string PrintAnnotatedSource(const SourceAnnotation& annotation, absl::string_view text);

}  // namespace gprofhub::analyzer
