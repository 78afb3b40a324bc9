// A report as JSON: the schema of docs/findings-json.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Names of verdicts and metrics in the schema: "regressed", "self_time".
std::string VerdictName(v1::Finding::Verdict verdict);
std::string MetricName(v1::Finding::Metric metric);

// One finding, in the schema.
nlohmann::ordered_json FindingJson(const v1::Finding& finding);

// Pure ASCII, indented, one document with a line end. Invalid UTF-8 in names becomes U+FFFD.
std::string RenderJson(const v1::Report& report);

}  // namespace gprofhub::reporter
