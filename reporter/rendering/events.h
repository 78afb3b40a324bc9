// Change events as text or JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "proto/query.pb.h"

namespace gprofhub::reporter {

// One paragraph per event, newest first: time, commit or range of commits, change, side effects;
// and the number of omitted older events. Names are made printable.
std::string RenderChangesText(const v1::GetChangesResponse& changes);

// The schema of docs/trends.md: {"schema", "branch", "configuration", "runs",
// "events": […], "older_events", "warnings"}. Pure ASCII.
std::string RenderChangesJson(const v1::GetChangesResponse& changes);

// One entry of "events".
nlohmann::ordered_json ChangeEventJson(const v1::ChangeEvent& event);

}  // namespace gprofhub::reporter
