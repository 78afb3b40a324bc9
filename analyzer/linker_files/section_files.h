// Orderings for linkers that order sections rather than symbols: gold and GNU ld.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gprofhub::analyzer {

// The names of the sections in which -ffunction-sections may have put a function:
// below .text, .text.hot, .text.startup, .text.exit and .text.unlikely; the complete and base forms
// of a constructor or destructor may be one function under either name. The section of a cold part
// (NAME.cold) is .text.unlikely.NAME, which is also the section of an entirely cold function: it is
// omitted if `split` contains NAME.
std::vector<std::string> SectionsOf(absl::string_view name,
                                    const absl::flat_hash_set<std::string>& split);

// For `gold --section-ordering-file`: the sections of each function, one per line, each once.
// `split` are functions known to have a cold part of their own, in addition to those whose cold
// parts are among the names.
std::string FormatGoldSections(absl::Span<const std::string> names,
                               const absl::flat_hash_set<std::string>& split = {});

// For `ld.bfd -T` (in addition to the default script): an output section .text.ordered with these
// sections in this order, in front of .text.
std::string FormatLinkerScript(absl::Span<const std::string> names,
                               const absl::flat_hash_set<std::string>& split = {});

}  // namespace gprofhub::analyzer
