// One finding with its evidence.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "page/call_graph.h"
#include "page/html.h"
#include "page/source_diff.h"
#include "page/views/finding_parts.h"
#include "page/views/shell.h"

namespace gprofhub::page {

// The profile of one side, as far as a finding needs it. Names are linkage names without the
// compiler's suffixes (FindRows).
struct SideEntry {
  std::string run;                      // whose profile it is
  bool has_function = false;            // whether the profile has the finding's function
  std::string name;                     // of the function on this side: it may have been renamed
  std::optional<FunctionLines> blamed;  // of the function that the finding blames
  std::map<std::string, Neighbour> callers, callees;
};
SideEntry SideEntryOf(const std::string& run, const profile::ComputedProfile& profile,
                      const v1::Finding& finding);

struct FindingEvidence {
  v1::Finding finding;
  v1::Explanation explanation;             // without paths if they are unknown
  std::optional<SideEntry> before, after;  // nothing: that side's profile cannot be read
  std::string pull_request;                // of the head; may be empty
  FindingDiff diff;
};

// `comparison` holds the report that contains the finding.
Html FindingView(const Context& context, const Comparison& comparison,
                 const FindingEvidence& evidence);

}  // namespace gprofhub::page
