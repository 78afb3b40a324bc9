// Functions that a compiler made of one: clones have names of their own, and not
// every build of a program has the same.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"

namespace gprofhub::analyzer {

// `names`, each with what else it may be called right behind it: a clone with its
// function's name, and each function with those of its clones that are among
// `in_binary`, ascending. What is among `names` stays where it is. A
// cold part ("f.cold") is no clone: it does not run when f does.
std::vector<std::string> WithClones(absl::Span<const std::string> names,
                                    absl::Span<const std::string> in_binary);

}  // namespace gprofhub::analyzer
