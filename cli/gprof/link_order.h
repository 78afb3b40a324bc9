// -r and -R: in which order to link functions or object files.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/listing_input.h"
#include "analyzer/ordering/file_map.h"
#include "cli/gprof/options.h"
#include "profile/symbols.h"

namespace gprofhub {

// The map file of -R. The status' message is the line to print.
absl::StatusOr<std::vector<MappedFunction>> ReadFileMap(const GprofOptions& options);

// The image with object files in the place of functions, as far as `map` has them.
SymbolTable WithFilesForFunctions(SymbolTable symbols, const RowOptions& options,
                                  const std::vector<MappedFunction>& map);

// The functions' linkage names in the order that gprof suggests.
std::vector<std::string> FunctionOrder(const ListingInput& input);

// The object files of `map` in the order that gprof suggests. The input's rows are
// files.
std::vector<std::string> FileOrder(const ListingInput& input,
                                   const std::vector<MappedFunction>& map);

}  // namespace gprofhub
