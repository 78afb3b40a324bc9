// Opens the store, for whoever starts a process.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/store.h"

namespace gprofhub::store {

// Opens the store that `location` names and brings its schema up to date:
// "sqlite:DIR", a plain directory, or "postgresql://…". INVALID_ARGUMENT for another form.
// Other errors are those of OpenSqlite and OpenPostgres. `on_call` as Store has it.
absl::StatusOr<Store> OpenStore(absl::string_view location, const OnStoreCall& on_call = nullptr);

}  // namespace gprofhub::store
