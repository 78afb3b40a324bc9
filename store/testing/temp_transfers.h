// Handed-over blobs in the store of a test.
#pragma once

#include <string>

#include "store/transfers/transfer_blobs.h"

namespace gprofhub::store {

// Transfers of the SQLite store in the folder, which may be open elsewhere, too.
TransferBlobs OpenTempTransfers(const std::string& directory);

}  // namespace gprofhub::store
