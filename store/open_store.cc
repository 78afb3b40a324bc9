#include "store/open_store.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "store/archive/archived_bytes.h"
#include "store/archive/observed_archive.h"
#include "store/postgres/open_postgres.h"
#include "store/postgres/wake_ups.h"
#include "store/sqlite/open_sqlite.h"

namespace gprofhub::store {

bool IsShared(absl::string_view location) {
  return absl::StartsWith(location, "postgresql://") || absl::StartsWith(location, "postgres://");
}

absl::StatusOr<std::string> DirectoryOf(absl::string_view location) {
  constexpr absl::string_view kForms =
      "give sqlite:DIRECTORY or postgresql://USER:PASSWORD@HOST:PORT/DATABASE";
  absl::string_view directory = location;
  const bool named = absl::ConsumePrefix(&directory, "sqlite:");
  const size_t slashes = location.find("://");
  if (!named && slashes != absl::string_view::npos) {
    // The rest may contain a password.
    return absl::InvalidArgumentError(absl::StrCat("there is no store of the kind '",
                                                   absl::CHexEscape(location.substr(0, slashes)),
                                                   "'; ", kForms));
  }
  if (directory.empty() || absl::StrContains(directory, absl::string_view("\0", 1))) {
    return absl::InvalidArgumentError(
        absl::StrCat("the store's location names no directory; ", kForms));
  }
  return std::string(directory);
}

namespace {

// Without its archive.
absl::StatusOr<sql::Engine> OpenOwn(absl::string_view location) {
  if (IsShared(location)) return postgres::OpenPostgres(location);
  const absl::StatusOr<std::string> directory = DirectoryOf(location);
  if (!directory.ok()) return directory.status();
  return sqlite::OpenSqlite(*directory);
}

}  // namespace

absl::StatusOr<sql::Engine> OpenEngine(absl::string_view location,
                                       const std::shared_ptr<ObjectStore>& archive,
                                       const OnStoreCall& on_call) {
  const absl::StatusOr<sql::Engine> engine = OpenOwn(location);
  if (!engine.ok()) return engine.status();
  return WithArchive(*engine, Observed(archive, on_call));
}

absl::StatusOr<std::unique_ptr<sql::WakeUps>> MakeWakeUps(absl::string_view location) {
  if (IsShared(location)) return postgres::MakeWakeUps(location);
  const absl::StatusOr<std::string> directory = DirectoryOf(location);
  if (!directory.ok()) return directory.status();
  return nullptr;
}

absl::StatusOr<Store> OpenStore(absl::string_view location,
                                const std::shared_ptr<ObjectStore>& archive,
                                const OnStoreCall& on_call) {
  absl::StatusOr<sql::Engine> engine = OpenEngine(location, archive, on_call);
  if (!engine.ok()) return engine.status();
  return Store(*engine, on_call);
}

}  // namespace gprofhub::store
