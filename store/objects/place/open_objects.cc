#include "store/objects/place/open_objects.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "store/objects/folder_objects.h"
#include "store/objects/s3/s3_objects.h"

namespace gprofhub::store {

absl::StatusOr<std::unique_ptr<ObjectStore>> OpenObjects(absl::string_view location) {
  constexpr absl::string_view kForms =
      "give a folder, /PATH or file:PATH, or a bucket, s3://BUCKET/PREFIX";
  if (absl::StartsWith(location, "s3:")) return OpenS3Objects(location, {});
  absl::string_view path = location;
  const bool is_named = absl::ConsumePrefix(&path, "file:");
  if (path.empty() || (!is_named && path[0] != '/') || absl::StartsWith(path, "//") ||
      absl::StrContains(path, absl::string_view("\0", 1))) {
    // The rest may contain a secret.
    const size_t end = std::min(location.find(':'), size_t{20});
    return absl::InvalidArgumentError(absl::StrCat("nothing is known that begins with \"",
                                                   absl::CHexEscape(location.substr(0, end)),
                                                   "\" as a place for objects; ", kForms));
  }
  return OpenFolderObjects(std::string(path));
}

}  // namespace gprofhub::store
