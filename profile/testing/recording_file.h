// A real recording for tests.
#pragma once

#include <string>

namespace gprofhub::profile {

// Of a process that came to an orderly exit, with stacks; tests/fuzz/README.md
// says how it was made.
std::string OrderlyRecording();

}  // namespace gprofhub::profile
