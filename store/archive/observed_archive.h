// Archive wrapper that reports the latency of every call, as ObservedEngine does of the engine.
#pragma once

#include <memory>

#include "store/objects/object_store.h"
#include "store/sql/observed_engine.h"

namespace gprofhub::store {

// Wraps `archive`. Reports calls of the part "archive", operations "put", "read", "delete" and
// "list". Returns `archive` itself if it or `on_call` is null.
std::shared_ptr<ObjectStore> Observed(std::shared_ptr<ObjectStore> archive,
                                      const OnStoreCall& on_call);

}  // namespace gprofhub::store
