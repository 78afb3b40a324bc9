// Orderings for linkers that know sections rather than symbols: gold and GNU ld.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gprofhub::analyzer {

// The names of the sections in which -ffunction-sections may have put a function:
// below .text, .text.hot, .text.startup, .text.exit and .text.unlikely; a
// constructor's or destructor's complete and base form may be one function under
// either's name. The section of a cold part (NAME.cold) is .text.unlikely.NAME, as is
// that of a function which is cold altogether: it is left out where `split` has NAME.
std::vector<std::string> SectionsOf(absl::string_view name,
                                    const absl::flat_hash_set<std::string>& split);

// For `gold --section-ordering-file`: the sections of each of the functions, one a
// line, each once. `split` are functions known to have a cold part of their own, beside
// those whose cold parts are among the names.
std::string FormatGoldSections(absl::Span<const std::string> names,
                               const absl::flat_hash_set<std::string>& split = {});

// For `ld.bfd -T` (beside the default script): an output section .text.ordered
// with these sections in this order, in front of .text.
std::string FormatLinkerScript(absl::Span<const std::string> names,
                               const absl::flat_hash_set<std::string>& split = {});

}  // namespace gprofhub::analyzer
