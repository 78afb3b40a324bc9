// The names of rows as the listings print them.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/listing/input.h"
#include "analyzer/listing/options.h"

namespace gprofhub::analyzer {

// By row: the name, in line-by-line listings followed by " (file:line @ address)"
// if the line is known. Needs the rows and their graph, without times. Names are demangled by both
// processors.
PrintedNames PrintNames(const ListingInput& input, const ListingOptions& options);

// By row: its place among the linkage names in ascending order, equal names in the order
// of the rows.
std::vector<uint32_t> RanksByName(const ListingRows& rows);

// The source file, with or without directories according to the options.
absl::string_view PrintedFile(const std::string& path, const ListingOptions& options);

}  // namespace gprofhub::analyzer
