// One finding with its evidence.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "page/call_graph.h"
#include "page/html.h"
#include "page/source_diff.h"
#include "page/views/finding_parts.h"
#include "page/views/shell.h"

namespace gprofhub::page {

// A function in base and head, with its neighbours by linkage name.
struct SideEntry {
  GraphEntry entry;
  std::optional<FunctionLines> blamed;  // of the function that the finding blames
  std::map<std::string, Neighbour> callers, callees;
  std::map<std::string, std::string> displays;  // demangled names of all neighbours
};
// Nothing if the profile lacks the finding's function.
std::optional<SideEntry> SideEntryOf(const profile::ComputedProfile& profile,
                                     const v1::Finding& finding);

struct FindingEvidence {
  v1::Finding finding;
  v1::Explanation explanation;  // without paths if they are unknown
  std::optional<SideEntry> before, after;
  std::string pull_request;  // of the head; may be empty
  FindingDiff diff;
};

// `comparison` holds the report that contains the finding.
Html FindingView(const Context& context, const Comparison& comparison,
                 const FindingEvidence& evidence);

}  // namespace gprofhub::page
