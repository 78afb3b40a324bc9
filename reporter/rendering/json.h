// A report as JSON: the schema of docs/findings-json.md.
#pragma once

#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "proto/findings.pb.h"
#include "proto/query.pb.h"

namespace gprofhub::reporter {

// Change events as text or JSON.

// One paragraph per event, newest first: time, commit or range of commits, change, side effects;
// and the number of omitted older events. Names are made printable.
std::string RenderChangesText(const v1::GetChangesResponse& changes);

// The schema of docs/trends.md: {"schema", "branch", "configuration", "runs",
// "events": […], "older_events", "warnings"}. Pure ASCII.
std::string RenderChangesJson(const v1::GetChangesResponse& changes);

// One entry of "events".
nlohmann::ordered_json ChangeEventJson(const v1::ChangeEvent& event);

// Names of verdicts and metrics in the schema: "regressed", "self_time".
std::string VerdictName(v1::Finding::Verdict verdict);
std::string MetricName(v1::Finding::Metric metric);

// One finding, in the schema.
nlohmann::ordered_json FindingJson(const v1::Finding& finding);

// Pure ASCII, indented, one document with a line end. Invalid UTF-8 in names becomes U+FFFD.
std::string RenderJson(const v1::Report& report);

}  // namespace gprofhub::reporter
