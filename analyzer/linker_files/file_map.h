// Which object file each function is in: what gprof's --file-ordering needs to
// order object files as it orders functions.
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
  bool is_defined = false;  // there, rather than only used
};

// Reads what `nm --print-file-name` prints: lines of an object file, a colon, an
// address, a letter and a name ("c-parse.o:00000000 T yyparse"). The file is
// what precedes the first colon, the name what follows the last blank; a letter
// U says that the function is not defined there. Empty lines are passed over.
// `path` is for messages. InvalidArgument: a line is of another form, or there
// is none.
absl::StatusOr<std::vector<MappedFunction>> ParseFileMap(absl::string_view text,
                                                         absl::string_view path);

// `functions` and labels as if they were object files: named after the file that
// `map` has for them, and neighbours in one file made one. Functions that the map
// does not have stay as they are. Of several files that define one function the
// first counts.
std::vector<profile::FunctionSymbol> MergeIntoFiles(const std::vector<MappedFunction>& map,
                                                    std::vector<profile::FunctionSymbol> functions);

// Every file of the map once: in the order in which `rows`, names of files and
// functions, has them, then those that it has not. Linear.
std::vector<std::string> OrderFiles(const std::vector<MappedFunction>& map,
                                    const std::vector<absl::string_view>& rows);

}  // namespace gprofhub::analyzer
