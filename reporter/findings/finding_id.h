// Short ids of findings, for people and commands.
#pragma once

#include <string>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// The first ten hexadecimal digits, in lower case, of the SHA-256 of target, metric, function and
// caller with NUL bytes between them. The metric is spelt as in JSON: "calls". A finding keeps its
// id from run to run, as long as its names stay.
std::string FindingId(const v1::Finding& finding);

}  // namespace gprofhub::reporter
