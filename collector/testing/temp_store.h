// A fresh store on this machine's disk, for one test.
#pragma once

#include <string>
#include <vector>

#include "store/open_store.h"

namespace gprofhub::collector {

// A new, empty folder below the test's own temporary folder.
std::string MakeTempDir();

// A SQLite store in the folder.
store::Store MakeTempStore(const std::string& directory = MakeTempDir());

// All runs of project "default".
std::vector<store::RunRecord> RunsIn(const store::Reading& reading);

}  // namespace gprofhub::collector
