#include "profile/codec/bundle_wire.h"

#include "absl/strings/str_format.h"

namespace gprofhub::profile {

absl::Status BadBundle(absl::string_view field, absl::string_view problem) {
  return absl::InvalidArgumentError(
      absl::StrFormat("symbol bundle: %s: %s: send a bundle that gprofhub made", field, problem));
}

}  // namespace gprofhub::profile
