// Source files with the number of executions beside each line.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "analyzer/listing_input.h"
#include "analyzer/listings/block_counts.h"

namespace gprofhub {

struct AnnotationOptions {
  bool all_lines = false;      // repeat a block's count on all of its lines
  uint64_t min_count = 1;      // fewer executions are shown as "#####"
  uint64_t table_length = 10;  // of the table of the most called lines
};

// What is to say of one source file.
struct SourceAnnotation {
  std::string path;  // as the debug information names it
  // Line numbers, ascending, with what is known of their executions.
  std::vector<std::pair<uint32_t, std::string>> counts;
  std::string summary;  // the tables that follow the source
};

// Of the files of which a function was called, the one met last first.
std::vector<SourceAnnotation> AnnotateSources(const ListingInput& input, const BlockCounts& blocks,
                                              const AnnotationOptions& options);

// The file's text with its annotation, and the summary.
std::string PrintAnnotatedSource(const SourceAnnotation& annotation, absl::string_view text);

}  // namespace gprofhub
