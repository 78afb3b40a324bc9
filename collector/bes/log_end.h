// The last lines of a failing test's log, which Bazel uploaded.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "collector/bes/handed_over.h"

namespace gprofhub::collector {

// The last whole lines of a log, of InvocationTarget::kMostLogBytes at most. Where one line is
// longer than that, its end. A cut character loses its rest.
std::string LogEnd(absl::string_view log);

// The same for the project's file at `uri`; if it cannot be read, a sentence with the reason.
std::string ReadLogEnd(const ReadHandedOver& read, const std::string& project,
                       const std::string& uri);

}  // namespace gprofhub::collector
