// The last lines of a failing test's log, which Bazel uploaded.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "collector/bes/handed_over.h"

namespace gprofhub::collector {

// The last whole lines of a log, at most InvocationTarget::kMostLogBytes. If one line is longer
// than that, its end. A truncated character is dropped.
std::string LogEnd(absl::string_view log);

// The same for the project's file at `uri`; if it cannot be read, a sentence with the reason.
std::string ReadLogEnd(const ReadHandedOver& read, const std::string& project,
                       const std::string& uri);

}  // namespace gprofhub::collector
