// A call as the server makes it of bytes: the method's handler, its messages one after the other,
// and the answer. Only the transport is missing.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "collector/method.h"
#include "store/testing/temp_store.h"

namespace gprofhub::tests {

// The method with this end of its name. Ends the process if it does not exist.
const collector::Method& MethodNamed(const std::vector<collector::Method>& methods,
                                     absl::string_view name);

// Calls it with all rights. Ends the process if the server is at fault: after an error without a
// message, or with the code INTERNAL, UNKNOWN or UNAVAILABLE.
absl::Status Call(const collector::Method& method, const std::vector<std::string>& messages);

// A store in a folder of its own with one run of project "default", which was analysed. It is made
// once a process, in memory where there is such a file system.
const store::Store& FuzzedStore();

}  // namespace gprofhub::tests
