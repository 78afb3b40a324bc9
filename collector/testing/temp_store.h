// A fresh store on this machine's disk, for one test.
#pragma once

#include <string>
#include <vector>

#include "store/open_store.h"

namespace gprofhub {

// A new, empty folder below the test's own temporary folder.
std::string MakeTempDir();

// A SQLite store in the folder.
Store MakeTempStore(const std::string& directory = MakeTempDir());

// All runs of project "default".
std::vector<RunRecord> RunsIn(const Reading& reading);

}  // namespace gprofhub
