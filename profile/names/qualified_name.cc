#include "profile/names/qualified_name.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "profile/names/demangle.h"

namespace gprofhub::profile {

std::string QualifiedName(absl::string_view linkage_name) {
  // Only templates' names contain their return type.
  const std::string text = DemangleWithoutParameters(linkage_name);
  absl::string_view demangled = text;
  constexpr absl::string_view kAnonymous = "(anonymous namespace)";
  std::string name;
  int depth = 0;  // nesting of template arguments and parameters
  while (!demangled.empty()) {
    if (depth == 0 && absl::EndsWith(name, "operator")) {
      // The text after it is the operator's name and not a list.
      size_t length = absl::StartsWith(demangled, "()") ? 2 : 0;
      if (length == 0) {
        length = demangled.find_first_not_of("<>=!+-*/%^&|~,[]");
        length = std::min(length, demangled.size());
      }
      name += std::string(demangled.substr(0, length));
      demangled.remove_prefix(length);
      if (demangled.empty()) break;
    }
    if (depth == 0 && absl::ConsumePrefix(&demangled, kAnonymous)) {
      name += std::string(kAnonymous);
      continue;
    }
    const char c = demangled.front();
    if (c == '(' && depth == 0) break;
    demangled.remove_prefix(1);
    if (c == '<' || c == '(') {
      ++depth;
    } else if (c == '>' || c == ')') {
      depth = std::max(0, depth - 1);
    } else if (depth == 0) {
      name += c;
    }
  }
  return name;
}

std::string ScopeOf(absl::string_view linkage_name) {
  const std::string name = QualifiedName(linkage_name);
  const size_t colons = name.rfind("::");
  return colons == std::string::npos ? "" : name.substr(0, colons);
}

std::string LocalName(absl::string_view linkage_name) {
  const std::string name = QualifiedName(linkage_name);
  const size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

}  // namespace gprofhub::profile
