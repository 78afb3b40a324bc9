// Suffixes that gcc and clang append to a function's name when they generate more than one piece of
// code for it.
#pragma once

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

enum class CloneKinds {
  // Code that is called instead of the function, such as .isra.N, .constprop.N, .part.N, .llvm.N.
  kCopies,
  // These, and code of the function that is never called on its own: cold and hot parts (.cold,
  // .unlikely, .warm, .hot) and the resolver of multiversioned functions (.resolver).
  kAll,
};

// The function that the compiler made `name` from: without the suffixes of the kinds, also several
// of them; each may have a number. Other names, and names that would become empty, are unchanged:
// "f" from "f.constprop.2.part.0", but "table.3".
absl::string_view WithoutCloneSuffixes(absl::string_view name, CloneKinds kinds);

}  // namespace gprofhub::profile
