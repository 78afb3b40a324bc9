// Functions compiled by another toolchain: another compiler, version or options.
#pragma once

#include "absl/strings/string_view.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// Whether both names (profile/names/toolchain_name.h) are known and differ. If one side recorded no
// options, they are assumed to be the other's.
bool DifferentToolchains(absl::string_view before, absl::string_view after);

// Sets toolchain_changes and FunctionPair::toolchain_change. A function of one side only gets the
// change of its file, or otherwise that of everything its toolchain compiled.
void FindToolchainChanges(MatchedTarget& target);

// Whether the function's total calls depend on the source alone, whatever its callers were compiled
// with: none of its calls is inlined on either side, and it is not recursive.
bool CallsAreTheSources(const MatchedTarget& target, uint32_t function);

}  // namespace gprofhub::reporter
