#include "store/sqlite/disk_full.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/public_message.h"

namespace gprofhub::store::sqlite {

absl::Status DiskFull(absl::string_view directory, absl::string_view detail) {
  return base::WithPublicMessage(
      absl::ResourceExhaustedError(
          absl::StrCat("the disk of the data directory ", directory, " is full or over its quota (",
                       detail, "): nothing was stored; free or add space there, then try again")),
      "the server's disk is full: nothing was stored; try again once its operator has freed space");
}

absl::Status Hidden(absl::Status status) {
  if (status.GetPayload(base::kPublicMessage).has_value()) return status;
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
      return base::WithPublicMessage(std::move(status), "the store is busy: try again");
    case absl::StatusCode::kDataLoss:
      return base::WithPublicMessage(std::move(status),
                                     "the store is damaged: the server's log says how");
    case absl::StatusCode::kFailedPrecondition:
      return base::WithPublicMessage(std::move(status),
                                     "the store cannot be written: the server's log says why");
    default:
      return base::WithPublicMessage(std::move(status),
                                     "the store failed: the server's log says how");
  }
}

}  // namespace gprofhub::store::sqlite
