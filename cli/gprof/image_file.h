// The program that gprof reads.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "analyzer/listing/annotated_source.h"
#include "analyzer/listing/rows.h"
#include "analyzer/listing/tables.h"
#include "analyzer/ordering/linker_files.h"
#include "cli/gprof/options.h"
#include "profile/raw_profile.h"

namespace gprofhub::cli {

// -S: functions from a text file instead of the image's symbol table.

// Replaces the functions of `symbols` by those that `text` lists, a line
// "ADDRESS CLASS NAME" for each (as nm prints them): a hexadecimal address, and
// the class T or t. Of class t they are local. Other lines are ignored. The functions have no
// source lines.
void UseExternalSymbols(absl::string_view text, profile::SymbolTable& symbols);

// The status' message is the whole line that GNU gprof prints for such a file. The
// program may be stripped.
absl::StatusOr<profile::SymbolTable> ReadImage(const GprofOptions& options);

// Replaces the program's functions by those of -S, if given. An error if there are no functions
// then.
absl::Status ChooseFunctions(const GprofOptions& options, profile::SymbolTable& symbols);

// -r and -R: suggested link order of functions or object files.

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

// -A: the program's source files, found and printed.

// The options -x, -m and -t.
analyzer::AnnotationOptions AnnotationOptionsOf(const GprofOptions& options);

// Prints each annotated file as a page or, with separate_files, into a file
// NAME-ann in the working directory. A file is searched at its compile-time path, and then in the
// other places of SourcePlaces. Missing files are reported on stderr.
void PrintSources(const analyzer::ListingInput& input, const analyzer::BlockCounts& blocks,
                  const GprofOptions& options, analyzer::Pages& pages);

}  // namespace gprofhub::cli
