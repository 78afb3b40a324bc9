// One finding with its evidence.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "page/diff/function_lines.h"
#include "page/graph/call_graph.h"
#include "page/html/html.h"
#include "page/views/finding_diff.h"
#include "page/views/finding_parts.h"
#include "page/views/shell.h"

namespace gprofhub::page {

// A function before and after, with its neighbours by linkage name.
struct SideEntry {
  GraphEntry entry;
  std::optional<FunctionLines> blamed;  // of the function that the finding blames
  std::map<std::string, Neighbour> callers, callees;
  std::map<std::string, std::string> displays;  // of all of them
};
// Nothing where the profile does not have the finding's function.
std::optional<SideEntry> SideEntryOf(const profile::ComputedProfile& profile,
                                     const v1::Finding& finding);

struct FindingEvidence {
  v1::Finding finding;
  v1::Explanation explanation;  // without paths where they are not known
  std::optional<SideEntry> before, after;
  std::string pull_request;  // of the head; may be empty
  FindingDiff diff;
};

// `comparison` has the report that the finding is from.
Html FindingView(const Context& context, const Comparison& comparison,
                 const FindingEvidence& evidence);

}  // namespace gprofhub::page
