#include "cli/serve/http/visits/random_name.h"

#include "absl/strings/escaping.h"
#include "base/system/random_bytes.h"

namespace gprofhub::cli {

absl::StatusOr<std::string> RandomName() {
  const absl::StatusOr<std::string> bytes = base::RandomBytes(kRandomNameDigits / 2);
  if (!bytes.ok()) return bytes.status();
  return absl::BytesToHexString(*bytes);
}

}  // namespace gprofhub::cli
