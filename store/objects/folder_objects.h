// Objects as files of a folder, each at its key. The folder may be another machine's.
//
// A file is written to FOLDER/.incoming/, synced, and moved to its place if nothing is there. Then
// its folder is synced. So a file that stands at a key is whole, and two who write one key do not
// overwrite each other.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "store/objects/object_store.h"

namespace gprofhub::store {

// `folder` must be there: else FAILED_PRECONDITION, for it may be one that is not mounted. What
// processes that ended left in .incoming/ a day ago is removed. A key cannot go on from another
// object's ("a" and "a/b"): FAILED_PRECONDITION. RESOURCE_EXHAUSTED: the disk is full.
absl::StatusOr<std::unique_ptr<ObjectStore>> OpenFolderObjects(const std::string& folder);

}  // namespace gprofhub::store
