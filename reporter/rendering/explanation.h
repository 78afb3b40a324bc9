// The two call paths to a finding, side by side.
#pragma once

#include <string>

#include "proto/query.pb.h"

namespace gprofhub::reporter {

// What changed, in words, then a line for each function on either path: where it is called, and
// for each side how often by the function before, how often per call of that, and its share of the
// test's CPU. The line of the change is marked. Lines have at most 120 columns, but for what the
// words need. Names are made printable. `color`: ANSI colours, only for a terminal.
std::string RenderExplanationText(const v1::Explanation& explanation, bool color);

// {"schema": 1, "finding": {…}, "base": {"run_id", "commit", "path": […]}, "head": {…}}
// (docs/findings-json.md). Pure ASCII.
std::string RenderExplanationJson(const v1::Explanation& explanation);

}  // namespace gprofhub::reporter
