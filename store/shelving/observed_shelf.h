// Archive wrapper that reports the latency of every call.
#pragma once

#include <memory>

#include "store/objects/object_store.h"
#include "store/sql/observed_engine.h"

namespace gprofhub::store {

// The same archive. Each call is reported as one of the part "shelf": "put", "read", "delete",
// "list". Returns `shelf` itself if there is no archive or no `on_call`.
std::shared_ptr<ObjectStore> Observed(std::shared_ptr<ObjectStore> shelf,
                                      const OnStoreCall& on_call);

}  // namespace gprofhub::store
