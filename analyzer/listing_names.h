// Rows' names as the listings print them.
#pragma once

#include <string>
#include <vector>

#include "analyzer/listing_input.h"

namespace gprofhub {

// By row: the name, in line-by-line listings followed by " (file:line @ address)"
// where the line is known. Empty for rows that no listing mentions. Names are
// demangled by both processors.
std::vector<std::string> PrintedNames(const ListingInput& input, const ListingOptions& options);

// The source file as the options have it: with or without directories.
absl::string_view PrintedFile(const std::string& path, const ListingOptions& options);

}  // namespace gprofhub
