// -r and -R: in which order to link functions or object files.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/linker_files/file_map.h"
#include "analyzer/listing/input.h"
#include "cli/gprof/options/options.h"
#include "profile/symbols.h"

namespace gprofhub::cli {

// The map file of -R. The status' message is the line to print.
absl::StatusOr<std::vector<analyzer::MappedFunction>> ReadFileMap(const GprofOptions& options);

// The image with object files in the place of functions, as far as `map` has them.
profile::SymbolTable WithFilesForFunctions(profile::SymbolTable symbols,
                                           const analyzer::RowOptions& options,
                                           const std::vector<analyzer::MappedFunction>& map);

// The functions' linkage names in the order that gprof suggests.
std::vector<std::string> FunctionOrder(const analyzer::ListingInput& input);

// The object files of `map` in the order that gprof suggests. The input's rows are
// files.
std::vector<std::string> FileOrder(const analyzer::ListingInput& input,
                                   const std::vector<analyzer::MappedFunction>& map);

}  // namespace gprofhub::cli
