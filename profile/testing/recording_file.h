// A real recording for tests.
#pragma once

#include <string>

namespace gprofhub::profile {

// From a process with an orderly exit, with stacks; tests/fuzz/README.md describes how it was made.
std::string OrderlyRecording();

}  // namespace gprofhub::profile
