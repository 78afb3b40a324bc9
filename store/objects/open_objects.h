// Opens an object store by its location, for the programs' startup.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/objects/object_store.h"

namespace gprofhub::store {

// Objects as files of a folder, each at its key. The folder may be on a network file system.
//
// A file is written to FOLDER/.incoming/, synced, and moved to its place if that is free. Then its
// folder is synced. So a file at a key is always complete, and two writers of one key do not
// overwrite each other.

// `folder` must exist: else FAILED_PRECONDITION, for it may be an unmounted file system. Files that
// crashed processes left in .incoming/ are removed after a day. A key cannot extend another
// object's key ("a" and "a/b"): FAILED_PRECONDITION. RESOURCE_EXHAUSTED: the disk is full.
absl::StatusOr<std::unique_ptr<ObjectStore>> OpenFolderObjects(const std::string& folder);

// `location` is a folder, an absolute path or "file:PATH"; or a bucket
// (store/objects/location.h). INVALID_ARGUMENT for another form. Other errors are those of
// OpenFolderObjects and OpenS3Objects.
absl::StatusOr<std::unique_ptr<ObjectStore>> OpenObjects(absl::string_view location);

}  // namespace gprofhub::store
