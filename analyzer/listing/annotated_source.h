// Source files with the number of executions beside each line.
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

// The blocks in each row's code, in the profile's order; rows without any are
// not in it.
using BlockCounts = absl::flat_hash_map<uint32_t, std::vector<profile::BasicBlock>>;

// Meaningful for line-by-line listings only; empty for others.
BlockCounts AssignBlocks(const ListingInput& input, const std::vector<profile::BasicBlock>& blocks);

struct AnnotationOptions {
  bool all_lines = false;      // repeat a block's count on all of its lines
  bool show_unused = false;    // files without executions too
  uint64_t min_count = 1;      // fewer executions are shown as "#####"
  uint64_t table_length = 10;  // of the table of the most called lines
};

// How often the parts of a line were executed.
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

// How many lines the file of this path has; none: it is not there. Only lines that the file
// has are annotated and summed up. The program may have been built from a longer file.
using FindSourceLines = absl::FunctionRef<std::optional<uint32_t>(const std::string& path)>;
using VisitAnnotation = absl::FunctionRef<void(SourceAnnotation)>;

// Visits the files that are there and have a function that was called. The file that is met
// last in ListingRows::FilesInOrder comes first.
void AnnotateSources(const ListingInput& input, const BlockCounts& blocks,
                     const AnnotationOptions& options, FindSourceLines find_lines,
                     VisitAnnotation visit);

// The file's text with its annotation, and the summary.
std::string PrintAnnotatedSource(const SourceAnnotation& annotation, absl::string_view text);

// How often each function, and each basic block, was executed.

struct ExecutionCount {
  uint32_t row = 0;      // the function, or line, that was executed, or in which a block was
  uint64_t address = 0;  // of the row or the block
  uint64_t count = 0;
};

// The functions that were called and the blocks that were executed, by file and line.
std::vector<ExecutionCount> CountExecutions(const ListingInput& input,
                                            const ListingOptions& options,
                                            const BlockCounts& blocks);

// The same as text, a line for each.
std::string PrintExecutionCounts(const ListingInput& input, const ListingOptions& options,
                                 const BlockCounts& blocks);

}  // namespace gprofhub::analyzer
