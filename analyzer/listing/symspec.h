// Symbol specifications, which select the functions of an option (GNU gprof manual, "Symspecs").
//
//     filename.with.a.dot | function | line | [file]:(function | line)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace gprofhub::analyzer {

// All given parts must match. Without any part it matches everything.
struct Symspec {
  std::optional<std::string> file;      // without directory
  std::optional<std::string> function;  // linkage name
  std::optional<uint32_t> line;

  // A trailing colon or a dot marks a file. Text that starts with a digit is a line; anything after
  // the digits is ignored.
  static Symspec Parse(absl::string_view text);

  // `path` may have directories. If the source is unknown, `path` is empty and `line_number` 0.
  bool Matches(absl::string_view linkage_name, absl::string_view path, uint32_t line_number) const;
};

// The purpose of a selection by symspecs.
enum class Choice : uint8_t {
  kFlat,      // rows of the flat profile, and the samples that count
  kGraph,     // entries of the call graph
  kTime,      // functions whose time is propagated
  kAnnotate,  // functions annotated in the source
  kCounts,    // rows of the execution counts
};
inline constexpr size_t kChoices = 5;

// The symspecs of a command line.
struct SymspecLists {
  std::vector<Symspec> include[kChoices];
  std::vector<Symspec> exclude[kChoices];
  // Only calls from the first to the second are in the graph (-q from/to), if any row is a caller
  // of them.
  std::vector<std::pair<Symspec, Symspec>> included_arcs;
  // If there are none of those, calls from the first to the second are not in the graph (-k, -Q
  // from/to).
  std::vector<std::pair<Symspec, Symspec>> excluded_arcs;
};

// The text after the last '/'.
absl::string_view WithoutDirectory(absl::string_view path);

}  // namespace gprofhub::analyzer
