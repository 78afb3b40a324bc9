#include "analyzer/tables/cut_cycles.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace gprofhub::analyzer {

std::string PrintCutCycles(const ListingInput& input, const CycleBreaking& breaking) {
  if (breaking.found.empty()) {
    return absl::StrCat("no cycle has ", breaking.least_members, " functions or more\n");
  }
  std::string text;
  for (const CutCycle& cycle : breaking.found) {
    const std::string bound = cycle.arcs.size() == cycle.at_least
                                  ? "fewer cannot"
                                  : absl::StrCat("at least ", cycle.at_least, " must");
    absl::StrAppendFormat(&text, "cycle of %d functions: %d arcs with %d calls break it; %s%s\n",
                          cycle.members, cycle.arcs.size(), cycle.calls, bound,
                          breaking.cut ? "; they are left out below" : "");
    for (const GraphArc& arc : cycle.arcs) {
      absl::StrAppendFormat(&text, "%12d  -k %s/%s\n", arc.count,
                            input.rows.LinkageName(arc.caller), input.rows.LinkageName(arc.callee));
    }
  }
  return text;
}

}  // namespace gprofhub::analyzer
