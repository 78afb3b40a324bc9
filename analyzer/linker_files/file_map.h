// Maps functions to object files. gprof's --file-ordering needs the map to order object files in
// the way it orders functions.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/symbols.h"

namespace gprofhub::analyzer {

struct MappedFunction {
  std::string file;
  std::string function;     // linkage name
  bool is_defined = false;  // in this file, rather than only used
};

// Parses the output of `nm --print-file-name`: lines of an object file, a colon, an address, a
// letter and a name ("c-parse.o:00000000 T yyparse"). The file is the text before the first colon,
// the name the text after the last blank. The letter U marks a function that the file does not
// define. Empty lines are skipped. `path` is for messages. InvalidArgument: a malformed line, or no
// line at all.
absl::StatusOr<std::vector<MappedFunction>> ParseFileMap(absl::string_view text,
                                                         absl::string_view path);

// Replaces functions and labels by object files: each gets the name of its file in `map`, and
// neighbours in one file are merged. Functions that are not in the map stay unchanged. If several
// files define a function, the first one counts.
std::vector<profile::FunctionSymbol> MergeIntoFiles(const std::vector<MappedFunction>& map,
                                                    std::vector<profile::FunctionSymbol> functions);

// Every file of the map once: first in the order of `rows` (names of files and functions), then the
// files that are not in `rows`. Linear.
std::vector<std::string> OrderFiles(const std::vector<MappedFunction>& map,
                                    const std::vector<absl::string_view>& rows);

}  // namespace gprofhub::analyzer
