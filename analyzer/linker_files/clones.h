// Compiler clones of functions. Clones have names of their own, and builds of one program may have
// different clones.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"

namespace gprofhub::analyzer {

// `names`, with each name followed by its alternatives: a clone by its function's name, and a
// function by its clones in `in_binary`, ascending. Elements of `names` keep their places. A cold
// part ("f.cold") is not a clone, because it does not run when f does.
std::vector<std::string> WithClones(absl::Span<const std::string> names,
                                    absl::Span<const std::string> in_binary);

}  // namespace gprofhub::analyzer
