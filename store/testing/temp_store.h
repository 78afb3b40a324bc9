// A fresh store on this machine's disk, for one test.
#pragma once

#include <string>
#include <vector>

#include "store/records/records.h"
#include "store/store.h"
#include "store/testing/temp_dir.h"

namespace gprofhub::store {

// A SQLite store in the folder.
Store MakeTempStore(const std::string& directory = MakeTempDir());

// The bytes with their name.
Blob MakeBlob(std::string bytes);

// All runs of project "default".
std::vector<RunRecord> RunsIn(const Reading& reading);

}  // namespace gprofhub::store
