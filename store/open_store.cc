#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "store/postgres/postgres_store.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store.h"

namespace gprofhub {

absl::StatusOr<std::unique_ptr<Store>> OpenStore(absl::string_view location) {
  constexpr absl::string_view kForms =
      "give sqlite:DIRECTORY or postgresql://USER:PASSWORD@HOST:PORT/DATABASE";
  if (absl::StartsWith(location, "postgresql://") || absl::StartsWith(location, "postgres://")) {
    return OpenPostgresStore(location);
  }
  absl::string_view directory = location;
  const bool named = absl::ConsumePrefix(&directory, "sqlite:");
  const size_t slashes = location.find("://");
  if (!named && slashes != absl::string_view::npos) {
    // What follows may be a password.
    return absl::InvalidArgumentError(absl::StrCat("there is no store of the kind '",
                                                   absl::CHexEscape(location.substr(0, slashes)),
                                                   "'; ", kForms));
  }
  if (directory.empty() || absl::StrContains(directory, absl::string_view("\0", 1))) {
    return absl::InvalidArgumentError(
        absl::StrCat("the store's location names no directory; ", kForms));
  }
  return OpenSqliteStore(std::string(directory));
}

}  // namespace gprofhub
