// An engine whose use is told to somebody, such as who measures how long it takes.
#pragma once

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/sql/engine.h"

namespace gprofhub::store {

// One use of the engine, when it is over.
struct StoreCall {
  absl::string_view part;       // of the store, such as "ingest" (store.h)
  absl::string_view operation;  // "read", "write", "stage_blobs", "read_blob"
  absl::Duration took;
  absl::StatusCode code = absl::StatusCode::kOk;
};

// Called by the thread that uses the store; must not block.
using OnStoreCall = std::function<void(const StoreCall& call)>;

namespace sql {

// The same engine for one part of the store. `part` is a constant in the code. Without `on_call` it
// is `engine` itself.
Engine Observed(const Engine& engine, absl::string_view part, const OnStoreCall& on_call);

}  // namespace sql
}  // namespace gprofhub::store
