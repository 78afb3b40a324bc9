// Opens an object store by its location, for the programs' startup.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/objects/object_store.h"

namespace gprofhub::store {

// `location` is a folder, an absolute path or "file:PATH"; or a bucket
// (store/objects/s3/location.h). INVALID_ARGUMENT for another form. Other errors are those of
// OpenFolderObjects and OpenS3Objects.
absl::StatusOr<std::unique_ptr<ObjectStore>> OpenObjects(absl::string_view location);

}  // namespace gprofhub::store
