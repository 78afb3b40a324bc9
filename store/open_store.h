// Opens the store, for the programs' startup.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/sql/engine.h"
#include "store/sql/wake_ups.h"
#include "store/store.h"

namespace gprofhub::store {

// Opens the store that `location` names: "sqlite:DIR", a plain directory, or "postgresql://…".
// INVALID_ARGUMENT for another form. Other errors are those of OpenSqlite, OpenPostgres and
// WithArchive.
// `on_call` as Store has it.
absl::StatusOr<Store> OpenStore(absl::string_view location,
                                const std::shared_ptr<ObjectStore>& archive = nullptr,
                                const OnStoreCall& on_call = nullptr);

// Like OpenStore, for callers that build the parts themselves. `on_call` observes only uses of the
// archive.
absl::StatusOr<sql::Engine> OpenEngine(absl::string_view location,
                                       const std::shared_ptr<ObjectStore>& archive = nullptr,
                                       const OnStoreCall& on_call = nullptr);

// Wakes up other processes of the store. Null for an embedded store: its processes poll. Errors are
// those of OpenStore for its location.
absl::StatusOr<std::unique_ptr<sql::WakeUps>> MakeWakeUps(absl::string_view location);

// Whether the location names a database server that several processes share, and not the embedded
// store of one machine.
bool IsShared(absl::string_view location);

// The directory of an embedded store. INVALID_ARGUMENT if the location is of another form.
absl::StatusOr<std::string> DirectoryOf(absl::string_view location);

}  // namespace gprofhub::store
