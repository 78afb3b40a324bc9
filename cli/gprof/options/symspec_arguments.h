// The symspecs of a command line, as given.
#pragma once

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "analyzer/listing/symspec.h"
#include "cli/gprof/options/symspec_tables.h"

namespace gprofhub::cli {

struct SymspecArgument {
  SymspecTable table;
  std::string text;
};

// Each takes only two bytes more than its text, as an @FILE may give millions.
class SymspecArguments {
 public:
  // `text` has no zero bytes.
  void Add(SymspecTable table, absl::string_view text);
  // Returns them in order.
  std::vector<SymspecArgument> All() const;
  // The rows and calls that they choose.
  analyzer::SymspecLists Lists() const;
  // Whether one of them names a file or a line.
  bool NamePlaces() const;

 private:
  using Visit = absl::FunctionRef<void(SymspecTable table, absl::string_view text)>;
  void ForEach(Visit visit) const;

  std::string packed_;  // each: its table, its text, a zero byte
};

}  // namespace gprofhub::cli
