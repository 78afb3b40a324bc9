#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store.h"

namespace gprofhub {

absl::StatusOr<std::unique_ptr<Store>> OpenStore(absl::string_view location) {
  absl::string_view directory = location;
  const bool named = absl::ConsumePrefix(&directory, "sqlite:");
  const size_t colon = location.find("://");
  if (!named && colon != absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("store '", absl::CHexEscape(location.substr(0, colon)),
                     "://…': there is no such kind of store; give sqlite:DIRECTORY"));
  }
  if (directory.empty() || absl::StrContains(directory, '\0')) {
    return absl::InvalidArgumentError(
        "the store's location names no directory; give sqlite:DIRECTORY");
  }
  return OpenSqliteStore(std::string(directory));
}

}  // namespace gprofhub
