// Symbol specifications: which functions an option is about (GNU gprof manual,
// "Symspecs").
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

// What is given must all be so; nothing given matches everything.
struct Symspec {
  std::optional<std::string> file;      // without directory
  std::optional<std::string> function;  // linkage name
  std::optional<uint32_t> line;

  // A file is named by a trailing colon or a dot; what starts with a digit is a
  // line, whatever follows the digits.
  static Symspec Parse(absl::string_view text);

  // `path` may have directories; it is empty, and `line_number` 0, if unknown.
  bool Matches(absl::string_view linkage_name, absl::string_view path, uint32_t line_number) const;
};

// What symspecs choose for.
enum class Choice : uint8_t {
  kFlat,      // rows of the flat profile, and the samples that count
  kGraph,     // entries of the call graph
  kTime,      // whose time is propagated
  kAnnotate,  // functions annotated in the source
  kCounts,    // rows of the execution counts
};
inline constexpr size_t kChoices = 5;

// The symspecs of a command line.
struct SymspecLists {
  std::vector<Symspec> include[kChoices];
  std::vector<Symspec> exclude[kChoices];
  // Calls from the first to the second alone are in the graph (-q from/to), if any row is
  // a caller of them.
  std::vector<std::pair<Symspec, Symspec>> included_arcs;
  // Without those, calls from the first to the second are not (-k, -Q from/to).
  std::vector<std::pair<Symspec, Symspec>> excluded_arcs;
};

// The text after the last '/'.
absl::string_view WithoutDirectory(absl::string_view path);

}  // namespace gprofhub::analyzer
