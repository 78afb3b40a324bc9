// -r and -R: suggested link order of functions or object files.
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

// The image with functions replaced by object files, as far as `map` has them.
profile::SymbolTable WithFilesForFunctions(profile::SymbolTable symbols,
                                           const analyzer::RowOptions& options,
                                           const std::vector<analyzer::MappedFunction>& map);

// The functions' linkage names in gprof's suggested order.
std::vector<std::string> FunctionOrder(const analyzer::ListingInput& input);

// The object files of `map` in gprof's suggested order. The input's rows are files.
std::vector<std::string> FileOrder(const analyzer::ListingInput& input,
                                   const std::vector<analyzer::MappedFunction>& map);

}  // namespace gprofhub::cli
