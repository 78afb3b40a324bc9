// A fresh store on this machine's disk, for one test.
#pragma once

#include <string>
#include <vector>

#include "store/open_store.h"
#include "store/records/records.h"
#include "store/transfer_blobs.h"

namespace gprofhub::store {

// Folders for tests.

// A new, empty folder below the test's own temporary folder.
std::string MakeTempDir();

// A SQLite store in the folder.
Store MakeTempStore(const std::string& directory = MakeTempDir());

// The bytes with their name.
Blob MakeBlob(std::string bytes);

// All runs of project "default".
std::vector<RunRecord> RunsIn(const Reading& reading);

// Handed-over blobs in the store of a test.

// Transfers of the SQLite store in the folder, which may be open elsewhere, too.
TransferBlobs OpenTempTransfers(const std::string& directory);

}  // namespace gprofhub::store
