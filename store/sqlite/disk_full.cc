#include "store/sqlite/disk_full.h"

#include "absl/strings/str_cat.h"

namespace gprofhub::store::sqlite {

absl::Status DiskFull(absl::string_view directory, absl::string_view detail) {
  return absl::ResourceExhaustedError(
      absl::StrCat("the disk of the data directory ", directory, " is full or over its quota (",
                   detail, "): nothing was stored; free or add space there, then try again"));
}

}  // namespace gprofhub::store::sqlite
