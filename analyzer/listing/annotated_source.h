// Source files annotated with the number of executions of each line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "analyzer/listing/rows.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// Basic-block counts by row.

// The blocks in each row's code, in the profile's order; rows without blocks are absent.
using BlockCounts = absl::flat_hash_map<uint32_t, std::vector<profile::BasicBlock>>;

// Meaningful for line-by-line listings only; empty for others.
BlockCounts AssignBlocks(const ListingInput& input, const std::vector<profile::BasicBlock>& blocks);

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

// Execution counts of functions and basic blocks.

struct ExecutionCount {
  uint32_t row = 0;      // the executed function or line, or the one that contains the block
  uint64_t address = 0;  // of the row or the block
  uint64_t count = 0;
};

// The called functions and the executed blocks, by file and line.
std::vector<ExecutionCount> CountExecutions(const ListingInput& input,
                                            const ListingOptions& options,
                                            const BlockCounts& blocks);

// The same as text, one line each.
std::string PrintExecutionCounts(const ListingInput& input, const ListingOptions& options,
                                 const BlockCounts& blocks);

}  // namespace gprofhub::analyzer
