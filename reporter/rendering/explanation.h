// The two call paths to a finding, side by side.
#pragma once

#include <string>

#include "proto/query.pb.h"

namespace gprofhub::reporter {

// The change as text, then one line per function on either path: its call site, and for each side
// the calls by the function before, calls per call of that, and its share of the test's CPU. The
// line of the change is marked. Lines have at most 120 columns, except for the text. Names are made
// printable. `color`: ANSI colours, only for a terminal.
std::string RenderExplanationText(const v1::Explanation& explanation, bool color);

// {"schema": 1, "finding": {…}, "base": {"run_id", "commit", "path": […]}, "head": {…}}
// (docs/findings-json.md). Pure ASCII.
std::string RenderExplanationJson(const v1::Explanation& explanation);

}  // namespace gprofhub::reporter
