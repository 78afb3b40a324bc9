#include "reporter/matching/match_inlined.h"

#include <algorithm>
#include <vector>

#include "profile/computed.h"

namespace gprofhub::reporter {

void MatchInlined(const SideRuns (&sides)[2], MatchedTarget& matched) {
  matched.knows_inlined = true;
  for (const bool is_after : {false, true}) {
    const SideRuns& side = sides[is_after ? 1 : 0];
    // A program into which nothing was inlined is not told from one of which nothing is known.
    bool any = false;
    for (size_t run = 0; run < side.profiles.size(); ++run) {
      for (const profile::InlinedCost& inlined : side.profiles[run].inlined) {
        FunctionPair& pair = matched.functions[side.rows[run][inlined.function]];
        SideOf(pair, is_after).inlined.push_back(inlined.name);
        any = true;
      }
    }
    for (FunctionPair& pair : matched.functions) {
      std::vector<uint32_t>& names = SideOf(pair, is_after).inlined;
      std::sort(names.begin(), names.end());
      names.erase(std::unique(names.begin(), names.end()), names.end());
    }
    matched.knows_inlined = matched.knows_inlined && any;
  }
}

}  // namespace gprofhub::reporter
