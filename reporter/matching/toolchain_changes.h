// Which functions another toolchain compiled: another compiler, version or options.
#pragma once

#include "absl/strings/string_view.h"
#include "reporter/matching/matched_target.h"

namespace gprofhub::reporter {

// Whether both names (profile/names/toolchain_name.h) are known and tell of different code. Where
// one side has recorded no options, they may be the other's.
bool DifferentToolchains(absl::string_view before, absl::string_view after);

// Fills in toolchain_changes and FunctionPair::toolchain_change. A function that only one side has
// goes with its file, or else with all that its toolchain compiled.
void FindToolchainChanges(MatchedTarget& target);

// Whether the function's calls in all depend on the source alone, whatever its callers were
// compiled with: no call of it is inlined on either side, and it does not call itself.
bool CallsAreTheSources(const MatchedTarget& target, uint32_t function);

}  // namespace gprofhub::reporter
