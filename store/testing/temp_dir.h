// Folders for tests.
#pragma once

#include <string>

namespace gprofhub::store {

// A new, empty folder below the test's own temporary folder.
std::string MakeTempDir();

}  // namespace gprofhub::store
