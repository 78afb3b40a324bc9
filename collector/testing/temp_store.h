// A fresh store on this machine's disk, for one test.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "store/store.h"

namespace gprofhub {

// A new, empty folder below the test's own temporary folder.
std::string MakeTempDir();

// A SQLite store in such a folder.
std::unique_ptr<Store> MakeTempStore();

// All runs of project "default".
std::vector<RunRecord> RunsIn(Store& store);

}  // namespace gprofhub
