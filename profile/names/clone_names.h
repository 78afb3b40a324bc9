// What gcc and clang append to a function's name where they make more of it than
// one piece of code.
#pragma once

#include "absl/strings/string_view.h"

namespace gprofhub::profile {

enum class CloneKinds {
  // Code that is called in the function's place, such as .isra.N, .constprop.N,
  // .part.N, .llvm.N.
  kCopies,
  // Those, and what is of the function and runs when it does not: pieces put
  // elsewhere (.cold, .unlikely, .warm, .hot) and the choice between copies (.resolver).
  kAll,
};

// The function that the compiler made `name` from: without the suffixes of the
// kinds, also several of them; each may have a number. Any other name, and one of
// which nothing would be left, stays: "f" of "f.constprop.2.part.0", but "table.3".
absl::string_view WithoutCloneSuffixes(absl::string_view name, CloneKinds kinds);

}  // namespace gprofhub::profile
