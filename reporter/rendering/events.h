// A history's changes as text or JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "proto/query.pb.h"

namespace gprofhub::reporter {

// One paragraph an event, newest first: when, at which commit or range of commits,
// what changed there, what followed; and how many older ones are left out. Names are made
// printable.
std::string RenderChangesText(const v1::GetChangesResponse& changes);

// The schema of docs/trends.md: {"schema", "branch", "configuration", "runs",
// "events": […], "older_events", "warnings"}. Pure ASCII.
std::string RenderChangesJson(const v1::GetChangesResponse& changes);

// One entry of "events".
nlohmann::ordered_json ChangeEventJson(const v1::ChangeEvent& event);

}  // namespace gprofhub::reporter
